//! The parser of DVE: recursive descent, and precedence climbing for expressions.

use dalsegno_kripke::Budget;

use super::lexer::{Fault, Token, tokens};
use super::syntax::{
    Binary, Channel, Declaration, Expression, ExpressionKind, LeftHandSide, Message, Name, Process,
    Program, Span, Sync, Transition, Type, Unary,
};
use super::{Error, ErrorKind, MAX_DEPTH};
use crate::text_error::TextError;
use crate::watch::Watch;

/// Parses a program.
///
/// # Errors
/// An [`Error`](type@Error) with the place where the text stops being DVE.
pub fn parse(text: &str) -> Result<Program, Error> {
    parse_within(text, &Budget::unlimited())
}

/// As [`parse`], as long as the time and the memory of the budget last.
///
/// # Errors
/// An [`Error`](type@Error) with the place of the first fault, or of where it was given up.
pub fn parse_within(text: &str, budget: &Budget) -> Result<Program, Error> {
    let watch = Watch::new(budget);
    let parsed = tokens(text, &watch).and_then(|tokens| {
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            depth: 0,
            watch: &watch,
        };
        parser.program()
    });
    parsed.map_err(|(kind, span)| TextError::new(kind, text, span))
}

/// Binary operators with their binding, the weakest first.
const OPERATORS: [(&str, Binary, u8); 21] = [
    ("imply", Binary::Imply, 0),
    ("or", Binary::Or, 1),
    ("||", Binary::Or, 1),
    ("and", Binary::And, 2),
    ("&&", Binary::And, 2),
    ("|", Binary::BitOr, 3),
    ("^", Binary::BitXor, 4),
    ("&", Binary::BitAnd, 5),
    ("==", Binary::Eq, 6),
    ("!=", Binary::Ne, 6),
    ("<", Binary::Lt, 7),
    ("<=", Binary::Le, 7),
    (">", Binary::Gt, 7),
    (">=", Binary::Ge, 7),
    ("<<", Binary::ShiftLeft, 8),
    (">>", Binary::ShiftRight, 8),
    ("+", Binary::Add, 9),
    ("-", Binary::Subtract, 9),
    ("*", Binary::Multiply, 10),
    ("/", Binary::Divide, 10),
    ("%", Binary::Remainder, 10),
];

const KEYWORDS: [&str; 22] = [
    "byte", "int", "const", "channel", "process", "state", "init", "accept", "commit", "assert",
    "trans", "guard", "sync", "effect", "system", "async", "property", "imply", "and", "or", "not",
    "true",
];

struct Parser<'a> {
    tokens: &'a [(Token<'a>, Span)],
    at: usize,
    depth: usize,
    watch: &'a Watch<'a>,
}

impl<'a> Parser<'a> {
    /// Notes a part of the program.
    fn keep(&self, bytes: usize) -> Result<(), Fault> {
        let kept = self.watch.keep(bytes);
        kept.map_err(|stop| (ErrorKind::Stopped(stop), self.span()))
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1.clone()
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn expected<T>(&self, what: &'static str) -> Result<T, Fault> {
        Err((ErrorKind::Expected(what), self.span()))
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if s == sign);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Token::Name(word);
        if found {
            self.advance();
        }
        found
    }

    fn need(&mut self, sign: &str, what: &'static str) -> Result<(), Fault> {
        if self.eat(sign) {
            return Ok(());
        }
        self.expected(what)
    }

    fn name(&mut self, what: &'static str) -> Result<Name, Fault> {
        match self.peek() {
            Token::Name(text) if !KEYWORDS.contains(&text) && text != "false" => {
                let span = self.span();
                self.keep(size_of::<Name>() + text.len())?;
                self.advance();
                Ok(Name {
                    text: text.to_owned(),
                    span,
                })
            }
            _ => self.expected(what),
        }
    }

    fn names(&mut self, what: &'static str) -> Result<Vec<Name>, Fault> {
        let mut names = vec![self.name(what)?];
        while self.eat(",") {
            names.push(self.name(what)?);
        }
        self.need(";", "`,` or `;`")?;
        Ok(names)
    }

    fn program(&mut self) -> Result<Program, Fault> {
        let mut program = Program {
            globals: Vec::new(),
            channels: Vec::new(),
            processes: Vec::new(),
            property: None,
        };
        loop {
            match self.peek() {
                Token::Name("byte" | "int" | "const") => self.declarations(&mut program.globals)?,
                Token::Name("channel") => self.channels(&mut program.channels)?,
                Token::Name("process") => program.processes.push(self.process()?),
                Token::Name("system") => {
                    program.property = self.system()?;
                    if self.peek() != Token::End {
                        return self.expected("nothing more");
                    }
                    return Ok(program);
                }
                Token::End => return Err((ErrorKind::Missing("`system async;`"), self.span())),
                _ => return self.expected("a declaration, a process or `system`"),
            }
        }
    }

    fn system(&mut self) -> Result<Option<Name>, Fault> {
        self.advance();
        if self.peek() == Token::Name("sync") {
            return Err((ErrorKind::Synchronous, self.span()));
        }
        if !self.eat_word("async") {
            return self.expected("`async`");
        }
        let property = if self.eat_word("property") {
            Some(self.name("the name of a process")?)
        } else {
            None
        };
        self.need(";", "`;`")?;
        Ok(property)
    }

    fn ty(&mut self) -> Result<Type, Fault> {
        if self.eat_word("byte") {
            Ok(Type::Byte)
        } else if self.eat_word("int") {
            Ok(Type::Int)
        } else {
            self.expected("`byte` or `int`")
        }
    }

    fn declarations(&mut self, into: &mut Vec<Declaration>) -> Result<(), Fault> {
        let constant = self.eat_word("const");
        let ty = self.ty()?;
        loop {
            let name = self.name("the name of a variable")?;
            let size = self.bracket()?;
            let mut initial = Vec::new();
            if self.eat("=") {
                if self.eat("{") {
                    initial.push(self.expression()?);
                    while self.eat(",") {
                        initial.push(self.expression()?);
                    }
                    self.need("}", "`,` or `}`")?;
                } else {
                    initial.push(self.expression()?);
                }
            }
            into.push(Declaration {
                constant,
                ty,
                name,
                size,
                initial,
            });
            if self.eat(";") {
                return Ok(());
            }
            self.need(",", "`=`, `,` or `;`")?;
        }
    }

    /// `[ expression ]`, if it is there.
    fn bracket(&mut self) -> Result<Option<Expression>, Fault> {
        if !self.eat("[") {
            return Ok(None);
        }
        let inner = self.expression()?;
        self.need("]", "`]`")?;
        Ok(Some(inner))
    }

    fn channels(&mut self, into: &mut Vec<Channel>) -> Result<(), Fault> {
        self.advance();
        let mut message = None;
        if self.eat("{") {
            let mut types = vec![self.ty()?];
            while self.eat(",") {
                types.push(self.ty()?);
            }
            self.need("}", "`,` or `}`")?;
            message = Some(types);
        }
        loop {
            let name = self.name("the name of a channel")?;
            let capacity = self.bracket()?;
            let message = message.clone();
            self.keep(size_of::<Channel>() + message.as_ref().map_or(0, Vec::len))?;
            into.push(Channel {
                name,
                message,
                capacity,
            });
            if self.eat(";") {
                return Ok(());
            }
            self.need(",", "`[`, `,` or `;`")?;
        }
    }

    fn process(&mut self) -> Result<Process, Fault> {
        self.advance();
        let name = self.name("the name of a process")?;
        self.need("{", "`{`")?;
        let mut process = Process {
            initial: name.clone(),
            name,
            locals: Vec::new(),
            states: Vec::new(),
            accepting: Vec::new(),
            committed: Vec::new(),
            assertions: Vec::new(),
            transitions: Vec::new(),
        };
        let mut initial = None;
        loop {
            let span = self.span();
            match self.peek() {
                Token::Name("byte" | "int" | "const") => self.declarations(&mut process.locals)?,
                Token::Name("state") => {
                    self.advance();
                    process.states.extend(self.names("the name of a state")?);
                }
                Token::Name("init") => {
                    self.advance();
                    let name = self.name("the name of a state")?;
                    if initial.replace(name).is_some() {
                        return Err((ErrorKind::Repeated("init"), span));
                    }
                    self.need(";", "`;`")?;
                }
                Token::Name("accept") => {
                    self.advance();
                    process.accepting.extend(self.names("the name of a state")?);
                }
                Token::Name("commit") => {
                    self.advance();
                    process.committed.extend(self.names("the name of a state")?);
                }
                Token::Name("assert") => self.assertions(&mut process.assertions)?,
                Token::Name("trans") => self.transitions(&mut process.transitions)?,
                Token::Sign("}") => {
                    self.advance();
                    break;
                }
                _ => return self.expected("a declaration, `state`, `init`, `trans` or `}`"),
            }
        }
        let missing = |what| (ErrorKind::Missing(what), process.name.span.clone());
        if process.states.is_empty() {
            return Err(missing("`state` of this process"));
        }
        process.initial = initial.ok_or_else(|| missing("`init` of this process"))?;
        Ok(process)
    }

    fn assertions(&mut self, into: &mut Vec<(Name, Expression)>) -> Result<(), Fault> {
        self.advance();
        loop {
            let state = self.name("the name of a state")?;
            self.need(":", "`:`")?;
            into.push((state, self.expression()?));
            if self.eat(";") {
                return Ok(());
            }
            self.need(",", "`,` or `;`")?;
        }
    }

    fn transitions(&mut self, into: &mut Vec<Transition>) -> Result<(), Fault> {
        self.advance();
        if self.eat(";") {
            return Ok(());
        }
        let mut source: Option<Name> = None;
        loop {
            if self.eat("->") {
                self.at -= 1;
            } else {
                source = Some(self.name("the name of a state")?);
            }
            let Some(source) = source.clone() else {
                return self.expected("the name of a state");
            };
            self.need("->", "`->`")?;
            let target = self.name("the name of a state")?;
            self.need("{", "`{`")?;
            self.keep(size_of::<Transition>())?;
            into.push(self.body(source, target)?);
            if self.eat(";") {
                return Ok(());
            }
            self.need(",", "`,` or `;`")?;
        }
    }

    fn body(&mut self, source: Name, target: Name) -> Result<Transition, Fault> {
        let mut transition = Transition {
            source,
            target,
            guard: None,
            sync: None,
            effects: Vec::new(),
        };
        let mut effects = false;
        while !self.eat("}") {
            let span = self.span();
            let twice = |what| Err((ErrorKind::Repeated(what), span.clone()));
            if self.eat_word("guard") {
                if transition.guard.is_some() {
                    return twice("guard");
                }
                transition.guard = Some(self.expression()?);
            } else if self.eat_word("sync") {
                if transition.sync.is_some() {
                    return twice("sync");
                }
                transition.sync = Some(self.sync()?);
            } else if self.eat_word("effect") {
                if std::mem::replace(&mut effects, true) {
                    return twice("effect");
                }
                loop {
                    let left = self.left_hand_side()?;
                    self.need("=", "`=`")?;
                    transition.effects.push((left, self.expression()?));
                    if !self.eat(",") {
                        break;
                    }
                }
            } else {
                return self.expected("`guard`, `sync`, `effect` or `}`");
            }
            self.need(";", "an operator or `;`")?;
        }
        Ok(transition)
    }

    fn left_hand_side(&mut self) -> Result<LeftHandSide, Fault> {
        let name = self.name("the name of a variable")?;
        let index = self.bracket()?;
        Ok(LeftHandSide { name, index })
    }

    fn sync(&mut self) -> Result<Sync, Fault> {
        let channel = self.name("the name of a channel")?;
        let message = if self.eat("!") {
            Message::Send(self.message(Self::expression)?)
        } else if self.eat("?") {
            Message::Receive(self.message(Self::left_hand_side)?)
        } else {
            return self.expected("`!` or `?`");
        };
        Ok(Sync { channel, message })
    }

    /// Nothing, one part, or several in braces.
    fn message<T>(
        &mut self,
        mut part: impl FnMut(&mut Self) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        if matches!(self.peek(), Token::Sign(";")) {
            return Ok(Vec::new());
        }
        if !self.eat("{") {
            return Ok(vec![part(self)?]);
        }
        let mut parts = vec![part(self)?];
        while self.eat(",") {
            parts.push(part(self)?);
        }
        self.need("}", "`,` or `}`")?;
        Ok(parts)
    }

    fn expression(&mut self) -> Result<Expression, Fault> {
        self.binding(0)
    }

    /// The operator that comes next, if it binds at least so strongly.
    fn operator(&mut self, least: u8) -> Option<(Binary, u8)> {
        let (Token::Name(found) | Token::Sign(found)) = self.peek() else {
            return None;
        };
        let entry = OPERATORS.iter().find(|(text, ..)| *text == found)?;
        if entry.2 < least {
            return None;
        }
        self.advance();
        Some((entry.1, entry.2))
    }

    /// An expression whose outer operators bind at least so strongly; all of them lean to the left.
    fn binding(&mut self, least: u8) -> Result<Expression, Fault> {
        let mut left = self.unary()?;
        while let Some((operator, level)) = self.operator(least) {
            let right = self.binding(level + 1)?;
            let span = left.span.start..right.span.end;
            let depth = left.depth.max(right.depth);
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = node(kind, span, depth)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, Fault> {
        let start = self.span();
        let operator = match self.peek() {
            Token::Sign("-") => Unary::Negate,
            Token::Sign("!") | Token::Name("not") => Unary::Not,
            Token::Sign("~") => Unary::Complement,
            _ => return self.primary(),
        };
        self.advance();
        self.deeper(&start)?;
        let inner = self.unary()?;
        self.depth -= 1;
        let (span, depth) = (start.start..inner.span.end, inner.depth);
        node(
            ExpressionKind::Unary(operator, Box::new(inner)),
            span,
            depth,
        )
    }

    fn deeper(&mut self, span: &Span) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((ErrorKind::TooDeep, span.clone()));
        }
        Ok(())
    }

    /// An index in brackets, if it is there.
    fn index(&mut self) -> Result<Option<Box<Expression>>, Fault> {
        let span = self.span();
        self.deeper(&span)?;
        let index = self.bracket()?;
        self.depth -= 1;
        Ok(index.map(Box::new))
    }

    fn primary(&mut self) -> Result<Expression, Fault> {
        let span = self.span();
        self.keep(2 * size_of::<Expression>())?;
        match self.peek() {
            Token::Number(number) => {
                self.advance();
                node(ExpressionKind::Number(number), span, 0)
            }
            Token::Name("true") => {
                self.advance();
                node(ExpressionKind::Number(1), span, 0)
            }
            Token::Name("false") => {
                self.advance();
                node(ExpressionKind::Number(0), span, 0)
            }
            Token::Sign("(") => {
                self.advance();
                self.deeper(&span)?;
                let mut inner = self.expression()?;
                self.depth -= 1;
                inner.span = span.start..self.span().end;
                self.need(")", "an operator or `)`")?;
                Ok(inner)
            }
            Token::Name(_) => {
                let name = self.name("an expression")?;
                let foreign = self.eat(".") || self.eat("->");
                let of = if foreign {
                    Some(self.name("the name of a state or a variable")?)
                } else {
                    None
                };
                let index = self.index()?;
                let depth = index.as_ref().map_or(0, |i| i.depth);
                let end = self.tokens[self.at - 1].1.end;
                let kind = match of {
                    Some(of) => ExpressionKind::Foreign(name, of, index),
                    None => ExpressionKind::Variable(name, index),
                };
                node(kind, span.start..end, depth)
            }
            _ => self.expected("an expression"),
        }
    }
}

/// An expression one deeper than its parts.
fn node(kind: ExpressionKind, span: Span, depth: usize) -> Result<Expression, Fault> {
    let depth = depth + 1;
    // Chains of operators are as deep as they are long.
    if depth > 4 * MAX_DEPTH {
        return Err((ErrorKind::TooDeep, span));
    }
    Ok(Expression { kind, span, depth })
}
