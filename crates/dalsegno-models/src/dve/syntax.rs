//! Programs as they are written: names are not looked up, and nothing is checked.

use std::ops::Range;

/// Some bytes of the text.
pub type Span = Range<usize>;

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// The types of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// 0 to 255.
    Byte,
    /// -32768 to 32767.
    Int,
}

/// A variable, an array or a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// Whether it never changes.
    pub constant: bool,
    /// The type of it or of its elements.
    pub ty: Type,
    /// The name.
    pub name: Name,
    /// The number of elements of an array.
    pub size: Option<Expression>,
    /// The initial values: as many as there are, 0 for the rest.
    pub initial: Vec<Expression>,
}

/// A channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The name.
    pub name: Name,
    /// The types of the parts of a message, if they are declared.
    pub message: Option<Vec<Type>>,
    /// How many messages it holds; none without it.
    pub capacity: Option<Expression>,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// The name.
    pub name: Name,
    /// Its own variables.
    pub locals: Vec<Declaration>,
    /// Its locations.
    pub states: Vec<Name>,
    /// Where it starts.
    pub initial: Name,
    /// Locations that an acceptance condition of a property names.
    pub accepting: Vec<Name>,
    /// Locations that must be left before anything else happens.
    pub committed: Vec<Name>,
    /// What is asserted in locations.
    pub assertions: Vec<(Name, Expression)>,
    /// The transitions.
    pub transitions: Vec<Transition>,
}

/// A transition of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The location that it leaves.
    pub source: Name,
    /// The location that it enters.
    pub target: Name,
    /// Its condition.
    pub guard: Option<Expression>,
    /// What it sends or receives.
    pub sync: Option<Sync>,
    /// What it assigns, in order.
    pub effects: Vec<(LeftHandSide, Expression)>,
}

/// What a transition does with a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sync {
    /// The channel.
    pub channel: Name,
    /// The message.
    pub message: Message,
}

/// A message from one of its two sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The values that are sent.
    Send(Vec<Expression>),
    /// Where the values go that are received.
    Receive(Vec<LeftHandSide>),
}

/// The left-hand side of an assignment: a variable or an element of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftHandSide {
    /// The name.
    pub name: Name,
    /// The index of an element.
    pub index: Option<Expression>,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its place.
    pub span: Span,
    /// How deep it is nested.
    pub depth: usize,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpressionKind {
    /// A number; `true` is 1 and `false` is 0.
    Number(i32),
    /// A variable, or an element of an array.
    Variable(Name, Option<Box<Expression>>),
    /// Something of another process, by `.` or `->`: a location, a variable or an element.
    Foreign(Name, Name, Option<Box<Expression>>),
    /// An operator with one operand.
    Unary(Unary, Box<Expression>),
    /// An operator with two operands.
    Binary(Binary, Box<Expression>, Box<Expression>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `-`.
    Negate,
    /// `not` or `!`.
    Not,
    /// `~`.
    Complement,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(
    missing_docs,
    reason = "the variants are the operators of C, and `imply`"
)]
pub enum Binary {
    Imply,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The global variables.
    pub globals: Vec<Declaration>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The processes, that of the property included.
    pub processes: Vec<Process>,
    /// The process that describes a property, if there is one.
    pub property: Option<Name>,
}
