//! As much of HTTP/1.1 as a local page needs: one request per connection, a head of limited size, a body of known length.
//!
//! What is not understood is refused: a body in chunks, a head that is repeated or folded. Reading has a deadline, however
//! slowly the bytes come.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use dalsegno::kripke::clock::Instant;

/// The most bytes of a head.
const MOST_HEAD: usize = 16 << 10;

/// How long a reader may leave what is written to it.
const WRITING: Duration = Duration::from_secs(10);

/// How long, and for how many bytes, a client that was refused may go on writing, so that it sees the refusal.
const LINGER: Duration = Duration::from_millis(500);
const LINGER_BYTES: usize = 8 << 20;

/// Headers of every response: nothing is kept, nothing is framed, and the page loads from here alone.
const COMMON: &str = "\
Connection: close\r\n\
Cache-Control: no-store\r\n\
X-Content-Type-Options: nosniff\r\n\
Referrer-Policy: no-referrer\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Content-Security-Policy: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";

/// A response that says why there is no other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Refusal(pub(super) u16, pub(super) &'static str);

/// The head of a request.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Head {
    pub(super) method: String,
    /// The path without its query.
    pub(super) path: String,
    headers: Vec<(String, String)>,
}

impl Head {
    /// Reads a head without the empty line at its end.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let bad = Refusal(400, "the request is not understood");
        let text = std::str::from_utf8(bytes).map_err(|_| bad)?;
        let mut lines = text.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (first.next(), first.next(), first.next(), first.next())
        else {
            return Err(bad);
        };
        if !matches!(version, "HTTP/1.1" | "HTTP/1.0") || !target.starts_with('/') {
            return Err(bad);
        }
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(bad)?;
            let token = |c: char| c.is_ascii_alphanumeric() || "-_!#$%&'*+.^`|~".contains(c);
            if name.is_empty() || !name.chars().all(token) || value.contains(['\r', '\n', '\0']) {
                return Err(bad);
            }
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(Head {
            method: method.to_owned(),
            path: path.to_owned(),
            headers,
        })
    }

    /// The value of a header, which may stand there once.
    pub(super) fn header(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value.as_str());
        match found.next() {
            Some(_) => Err(Refusal(400, "a header is repeated")),
            None => Ok(value),
        }
    }

    /// Whether the request was meant for one of these hosts, and comes from a page of one of them if it comes from a
    /// page. A page elsewhere must reach nothing here, not even under a name that it resolves to this machine.
    pub(super) fn check_origin(&self, hosts: &[String]) -> Result<(), Refusal> {
        let is_known = |host: &str| hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
        if !self.header("host")?.is_some_and(is_known) {
            return Err(Refusal(403, "the request is for another host"));
        }
        let Some(origin) = self.header("origin")? else {
            return Ok(());
        };
        match origin.strip_prefix("http://") {
            Some(host) if is_known(host) => Ok(()),
            _ => Err(Refusal(403, "the request comes from another page")),
        }
    }

    /// The length of the body, which must be told.
    pub(super) fn length(&self) -> Result<u64, Refusal> {
        if self.header("transfer-encoding")?.is_some() {
            return Err(Refusal(
                411,
                "a body in chunks is not read: give its length",
            ));
        }
        let length = self.header("content-length")?;
        let length = length.ok_or(Refusal(411, "the length of the body is missing"))?;
        if length.is_empty() || !length.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Refusal(400, "the length of the body is no number"));
        }
        // A number that does not fit is too large in any case.
        Ok(length.parse().unwrap_or(u64::MAX))
    }

    /// Whether the body is said to be JSON.
    pub(super) fn is_json(&self) -> Result<bool, Refusal> {
        let kind = self.header("content-type")?.unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        Ok(kind.eq_ignore_ascii_case("application/json"))
    }
}

/// A connection, and what was read of it beyond the head.
pub(super) struct Connection {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        // Whoever accepts may have made it so.
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(WRITING))?;
        stream.set_nodelay(true)?;
        let rest = Vec::new();
        Ok(Connection { stream, rest })
    }

    /// Reads until the deadline; nothing when the other side has ended.
    fn read_some(&mut self, into: &mut [u8], deadline: Instant) -> Result<usize, Refusal> {
        let late = Refusal(408, "the request took too long");
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late);
        }
        let gone = Refusal(400, "the request ends early");
        self.stream.set_read_timeout(Some(left)).map_err(|_| gone)?;
        loop {
            return match self.stream.read(into) {
                Ok(read) => Ok(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) =>
                {
                    Err(late)
                }
                Err(_) => Err(gone),
            };
        }
    }

    /// Reads the head; none if the other side ends without a word.
    pub(super) fn head(&mut self, deadline: Instant) -> Result<Option<Head>, Refusal> {
        let mut piece = [0; 4096];
        loop {
            if let Some(end) = self.rest.windows(4).position(|w| w == b"\r\n\r\n") {
                let head = Head::parse(&self.rest[..end])?;
                self.rest.drain(..end + 4);
                return Ok(Some(head));
            }
            if self.rest.len() > MOST_HEAD {
                return Err(Refusal(431, "the head of the request is too long"));
            }
            let read = self.read_some(&mut piece, deadline)?;
            if read == 0 && self.rest.is_empty() {
                return Ok(None);
            }
            if read == 0 {
                return Err(Refusal(400, "the request ends early"));
            }
            self.rest.extend_from_slice(&piece[..read]);
        }
    }

    /// Reads a body of a known length; the room for it grows with what comes.
    pub(super) fn body(&mut self, length: u64, deadline: Instant) -> Result<Vec<u8>, Refusal> {
        let length = usize::try_from(length).map_err(|_| Refusal(413, "the body is too large"))?;
        let mut body = std::mem::take(&mut self.rest);
        let mut piece = vec![0; 64 << 10];
        while body.len() < length {
            let wanted = piece.len().min(length - body.len());
            let read = self.read_some(&mut piece[..wanted], deadline)?;
            if read == 0 {
                return Err(Refusal(400, "the request ends early"));
            }
            body.extend_from_slice(&piece[..read]);
        }
        body.truncate(length);
        Ok(body)
    }

    /// Tells a client that waits for it to send the body.
    pub(super) fn go_on(&mut self) -> io::Result<()> {
        self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
    }

    /// Writes a whole response.
    pub(super) fn respond(
        &mut self,
        status: u16,
        kind: &str,
        content: &[u8],
        with_content: bool,
    ) -> io::Result<()> {
        let head = format!(
            "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{COMMON}\r\n",
            reason(status),
            content.len()
        );
        self.stream.write_all(head.as_bytes())?;
        if with_content {
            self.stream.write_all(content)?;
        }
        self.stream.flush()
    }

    /// Writes a refusal, and reads on for a moment: a client that is still writing would not see it otherwise.
    pub(super) fn refuse(&mut self, refusal: Refusal) {
        let Refusal(status, why) = refusal;
        let text = format!("{why}\n");
        let kind = "text/plain; charset=utf-8";
        if self.respond(status, kind, text.as_bytes(), true).is_err() {
            return;
        }
        let _ = self.stream.shutdown(Shutdown::Write);
        let Some(deadline) = Instant::now().checked_add(LINGER) else {
            return;
        };
        let mut piece = vec![0; 64 << 10];
        let mut seen = 0;
        while seen < LINGER_BYTES {
            match self.read_some(&mut piece, deadline) {
                Ok(0) | Err(_) => break,
                Ok(read) => seen += read,
            }
        }
    }

    /// Begins a response of lines that ends with the connection.
    pub(super) fn begin_lines(&mut self) -> io::Result<()> {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n{COMMON}\r\n");
        self.stream.write_all(head.as_bytes())
    }

    /// Writes a line of such a response.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        let mut text = Vec::with_capacity(line.len() + 1);
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
        self.stream.write_all(&text)
    }

    /// Whether the other side has gone.
    pub(super) fn has_hung_up(&self) -> bool {
        if self.stream.set_nonblocking(true).is_err() {
            return true;
        }
        let seen = self.stream.peek(&mut [0]);
        let gone = match seen {
            Ok(read) => read == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        };
        self.stream.set_nonblocking(false).is_err() || gone
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        Head::parse(text.as_bytes()).expect("a head")
    }

    #[test]
    fn a_head_is_read() {
        let head = head("POST /api/call?x=1 HTTP/1.1\r\nHOST: a:1\r\nContent-Length:  12 ");
        assert_eq!(
            (head.method.as_str(), head.path.as_str()),
            ("POST", "/api/call")
        );
        assert_eq!(head.header("host"), Ok(Some("a:1")));
        assert_eq!(head.length(), Ok(12));
        assert_eq!(head.header("origin"), Ok(None));
    }

    #[test]
    fn what_is_no_head_is_refused() {
        for text in [
            "",
            "GET /",
            "GET / HTTP/2.0",
            "GET  / HTTP/1.1",
            "GET http://a/ HTTP/1.1",
            "GET / HTTP/1.1\r\nno colon",
            "GET / HTTP/1.1\r\n folded: x",
            "GET / HTTP/1.1\r\nname : x",
            "GET / HTTP/1.1\r\n: x",
            "GET / HTTP/1.1\r\na: b\nc: d",
        ] {
            let refused = Head::parse(text.as_bytes());
            assert!(matches!(refused, Err(Refusal(400, _))), "{text:?}");
        }
        assert!(Head::parse(b"GET / HTTP/1.1\r\na: \xff").is_err());
    }

    #[test]
    fn lengths_that_are_none_are_refused() {
        for (headers, status) in [
            ("", 411),
            ("\r\nTransfer-Encoding: chunked", 411),
            ("\r\nTransfer-Encoding: chunked\r\nContent-Length: 3", 411),
            ("\r\nContent-Length: -3", 400),
            ("\r\nContent-Length: 3, 3", 400),
            ("\r\nContent-Length: ", 400),
            ("\r\nContent-Length: 3\r\ncontent-length: 4", 400),
        ] {
            let head = head(&format!("POST / HTTP/1.1{headers}"));
            let refused = head.length().map_err(|refusal| refusal.0);
            assert_eq!(refused, Err(status), "{headers:?}");
        }
        let digits = "9".repeat(40);
        let head = head(&format!("POST / HTTP/1.1\r\nContent-Length: {digits}"));
        assert_eq!(head.length(), Ok(u64::MAX));
    }

    #[test]
    fn other_hosts_and_other_pages_are_refused() {
        let hosts = ["127.0.0.1:80".to_owned(), "localhost:80".to_owned()];
        for (headers, allowed) in [
            ("Host: 127.0.0.1:80", true),
            ("Host: LOCALHOST:80", true),
            ("Host: localhost:80\r\nOrigin: http://localhost:80", true),
            ("Host: localhost:80\r\nOrigin: http://127.0.0.1:80", true),
            ("X: y", false),
            ("Host: localhost", false),
            ("Host: localhost:81", false),
            ("Host: evil.example:80", false),
            ("Host: localhost:80.evil.example", false),
            ("Host: localhost:80\r\nHost: evil.example", false),
            ("Host: localhost:80\r\nOrigin: https://localhost:80", false),
            ("Host: localhost:80\r\nOrigin: null", false),
            ("Host: localhost:80\r\nOrigin: http://evil.example", false),
            (
                "Host: localhost:80\r\nOrigin: http://localhost:80.evil.example",
                false,
            ),
        ] {
            let head = head(&format!("GET / HTTP/1.1\r\n{headers}"));
            assert_eq!(head.check_origin(&hosts).is_ok(), allowed, "{headers:?}");
        }
    }

    #[test]
    fn json_is_told_by_its_type() {
        for (kind, json) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/plain", false),
            ("application/jsonx", false),
            ("", false),
        ] {
            let head = head(&format!("POST / HTTP/1.1\r\nContent-Type: {kind}"));
            assert_eq!(head.is_json(), Ok(json), "{kind}");
        }
    }
}
