//! `dalsegno serve`, spoken to by plain sockets: what it answers, what it refuses, and what it survives.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server that ends with its test.
struct Server {
    child: Child,
    /// Where it listens.
    host: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_dalsegno"))
            .arg("serve")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let host = line.trim().strip_prefix("http://").expect("an address");
        let host = host.trim_end_matches('/').to_owned();
        Server { child, host }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("a connection");
        let most = Some(Duration::from_secs(60));
        stream.set_read_timeout(most).expect("a timeout");
        stream
    }

    /// What comes back for some bytes: the status, and all after the head.
    fn send(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("written");
        response(&mut stream)
    }

    /// The same with a head of which the host is right.
    fn ask(&self, first: &str, headers: &str, body: &str) -> (u16, String) {
        let host = &self.host;
        self.send(format!("{first} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n{body}").as_bytes())
    }

    fn post(&self, body: &str) -> String {
        format!(
            "POST /api/call HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        )
    }

    /// The lines of a call.
    fn call(&self, request: &str) -> Vec<Value> {
        let (status, text) = self.send(self.post(request).as_bytes());
        assert_eq!(status, 200, "{text}");
        let line = |line| serde_json::from_str(line).expect("a line is JSON");
        text.lines().map(line).collect()
    }

    fn last(&self, request: &str) -> Value {
        self.call(request).pop().expect("a last line")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn response(stream: &mut TcpStream) -> (u16, String) {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).expect("a response");
    let text = String::from_utf8_lossy(&text);
    let (head, rest) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    (status.unwrap_or_default(), rest.to_owned())
}

/// A call that takes for ever: a net of a family with far too many states to be seen one by one.
fn endless() -> String {
    let net = Command::new(env!("CARGO_BIN_EXE_dalsegno"))
        .args(["generate", "philosophers", "40"])
        .output()
        .expect("a net");
    let text = String::from_utf8(net.stdout).expect("a text");
    let model = json!({ "name": "net.pnml", "text": text });
    json!({ "call": "states", "model": model, "engine": "explicit" }).to_string()
}

/// Reads a call until its first line is there.
fn until_first_line(stream: &TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("a handle"));
    let mut line = String::new();
    while !line.starts_with('{') {
        line.clear();
        assert!(lines.read_line(&mut line).expect("a line") > 0, "it ended");
    }
}

#[test]
fn pages_are_served_and_files_of_the_machine_are_not() {
    let server = Server::start(&[]);
    let (status, page) = server.ask("GET /", "", "");
    assert_eq!(status, 200);
    assert!(page.starts_with("<!doctype html>"), "{page}");
    assert_eq!(server.ask("HEAD /", "", ""), (200, String::new()));
    assert_eq!(server.ask("GET /style.css?v=1", "", "").0, 200);
    for path in [
        "/../Cargo.toml",
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/viewer/../../Cargo.toml",
        "/viewer",
        "/src/lib.rs",
        "/\\..\\etc",
    ] {
        let (status, text) = server.ask(&format!("GET {path}"), "", "");
        assert_eq!(status, 404, "{path}: {text}");
    }
    assert_eq!(server.ask("DELETE /", "", "").0, 405);
    assert_eq!(server.ask("GET /api/call", "", "").0, 405);
}

#[test]
fn calls_are_answered_by_lines() {
    let server = Server::start(&["--timeout", "60"]);
    let done = server.last(r#"{"call": "version"}"#);
    assert_eq!(done["result"]["version"], env!("CARGO_PKG_VERSION"));
    let examples = server.last(r#"{"call": "examples"}"#);
    let example = &examples["result"]["examples"][0];
    let request = json!({
        "call": "check", "model": example["model"], "properties": example["properties"],
    });
    let lines = server.call(&request.to_string());
    let answers = lines.iter().filter(|line| line["event"] == "answer");
    let asked = example["properties"].as_array().map(Vec::len);
    assert_eq!(Some(answers.count()), asked);
    let last = lines.last().expect("a last line");
    assert_eq!(last["result"]["schema"], "dalsegno.report/1");
    for wrong in ["", "{", "[]", r#"{"call": "no"}"#, "\u{0}"] {
        assert_eq!(server.last(wrong)["event"], "error", "{wrong:?}");
    }
}

#[test]
fn foreign_pages_and_wrong_requests_are_refused() {
    let server = Server::start(&[]);
    let host = server.host.clone();
    let call = |headers: &str| {
        let body = r#"{"call": "version"}"#;
        let length = body.len();
        server
            .send(
                format!(
                    "POST /api/call HTTP/1.1\r\n{headers}\r\nContent-Length: {length}\r\n\r\n{body}"
                )
                .as_bytes(),
            )
            .0
    };
    let json = "Content-Type: application/json";
    assert_eq!(call(&format!("Host: {host}\r\n{json}")), 200);
    let own = format!("Host: {host}\r\nOrigin: http://{host}\r\n{json}");
    assert_eq!(call(&own), 200);
    let port = host.rsplit(':').next().expect("a port");
    assert_eq!(call(&format!("Host: localhost:{port}\r\n{json}")), 200);
    for headers in [
        format!("Host: 127.0.0.1\r\n{json}"),
        format!("Host: {host}.evil.example\r\n{json}"),
        format!("Host: {host}\r\nHost: {host}\r\nOrigin: http://evil.example\r\n{json}"),
        json.to_owned(),
        format!("Host: evil.example\r\n{json}"),
        format!("Host: {host}\r\nOrigin: http://evil.example\r\n{json}"),
        format!("Host: {host}\r\nOrigin: null\r\n{json}"),
    ] {
        let status = call(&headers);
        let expected = if headers.matches("Host").count() > 1 {
            400
        } else {
            403
        };
        assert_eq!(status, expected, "{headers}");
    }
    assert_eq!(
        call(&format!("Host: {host}\r\nContent-Type: text/plain")),
        415
    );
    assert_eq!(call(&format!("Host: {host}")), 415);
    let (status, _) = server.send(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert_eq!(status, 403);
}

#[test]
fn bodies_without_end_are_refused_before_they_are_read() {
    let server = Server::start(&[]);
    let json = "Content-Type: application/json\r\n";
    for (headers, status) in [
        ("Content-Length: 1073741824\r\n".to_owned(), 413),
        (format!("Content-Length: {}\r\n", "9".repeat(30)), 413),
        ("Content-Length: -1\r\n".to_owned(), 400),
        ("Transfer-Encoding: chunked\r\n".to_owned(), 411),
        (String::new(), 411),
    ] {
        let body = "zz\r\nno chunk at all";
        let (found, text) = server.ask("POST /api/call", &format!("{json}{headers}"), body);
        assert_eq!(found, status, "{headers}: {text}");
    }
    for garbage in [
        &b"\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"GET\r\n\r\n",
    ] {
        assert_eq!(server.send(garbage).0, 400);
    }
    let long = format!("X: {}\r\n", "y".repeat(100_000));
    assert_eq!(server.ask("GET /", &long, "").0, 431);
    assert_eq!(server.ask("GET /", "", "").0, 200);
}

/// Who claims large bodies and sends nothing cannot use up the memory, nor keep others out.
#[test]
fn all_bodies_together_are_bounded() {
    let server = Server::start(&[]);
    let head = format!(
        "POST /api/call HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 60000000\r\n\r\n",
        server.host
    );
    let claim = || {
        let mut stream = server.connect();
        stream.write_all(head.as_bytes()).expect("written");
        stream
    };
    // The room is taken when the head is read: until then a further one may be let in.
    let mut claims: Vec<TcpStream> = (0..4).map(|_| claim()).collect();
    let mut refused = claim();
    let quick = Some(Duration::from_millis(200));
    let mut text = String::new();
    while !text.contains(" 503 ") {
        refused.set_read_timeout(quick).expect("a timeout");
        text.clear();
        let _ = refused.read_to_string(&mut text);
        claims.push(std::mem::replace(&mut refused, claim()));
        assert!(claims.len() < 50, "nobody is refused");
    }
    assert_eq!(server.ask("GET /", "", "").0, 200);
    drop((claims, refused));
    let started = Instant::now();
    while server
        .send(server.post(r#"{"call": "version"}"#).as_bytes())
        .0
        != 200
    {
        assert!(started.elapsed() < Duration::from_secs(60));
    }
}

/// Beyond the limit connections are closed, and let in again when there is room.
#[test]
fn more_connections_than_are_allowed_end() {
    let server = Server::start(&[]);
    let idle: Vec<TcpStream> = (0..300).map(|_| server.connect()).collect();
    drop(idle);
    let started = Instant::now();
    loop {
        let mut stream = server.connect();
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.host);
        let mut answer = String::new();
        let written = stream.write_all(request.as_bytes());
        if written.is_ok() && stream.read_to_string(&mut answer).is_ok() && answer.contains(" 200 ")
        {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{answer}");
    }
}

#[test]
fn two_hundred_connections_that_say_nothing_do_no_harm() {
    let server = Server::start(&[]);
    let mut idle: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
    for stream in idle.iter_mut().step_by(2) {
        stream
            .write_all(b"POST /api/call HTTP/1.1\r\nHo")
            .expect("written");
    }
    assert_eq!(server.last(r#"{"call": "version"}"#)["event"], "done");
    drop(idle);
    let mut busy: Vec<TcpStream> = (0..200).map(|_| server.connect()).collect();
    let request = server.post(r#"{"call": "translate", "formula": "G F a"}"#);
    for stream in &mut busy {
        stream.write_all(request.as_bytes()).expect("written");
    }
    for stream in &mut busy {
        let (status, text) = response(stream);
        assert_eq!(status, 200);
        assert!(text.contains("\"event\":\"done\""), "{text}");
    }
}

/// The one slot is free again only when the call that has it was cancelled.
#[test]
fn hanging_up_cancels_and_frees_the_slot() {
    let server = Server::start(&["--calls", "1"]);
    let endless = endless();
    let mut stream = server.connect();
    stream
        .write_all(server.post(&endless).as_bytes())
        .expect("written");
    until_first_line(&stream);
    // Another one waits, and hangs up while it does.
    let mut waiting = server.connect();
    waiting
        .write_all(server.post(&endless).as_bytes())
        .expect("written");
    until_first_line(&waiting);
    drop(waiting);
    drop(stream);
    assert_eq!(server.last(r#"{"call": "version"}"#)["event"], "done");
}

#[test]
fn calls_end_with_the_time_of_the_server() {
    let server = Server::start(&["--timeout", "300ms"]);
    let last = server.last(&endless());
    assert_eq!(last["result"]["result"], "unknown", "{last}");
    assert_eq!(last["result"]["reason"], "time", "{last}");
}

#[test]
fn a_signal_ends_it_while_a_call_works() {
    let mut server = Server::start(&[]);
    let mut stream = server.connect();
    stream
        .write_all(server.post(&endless()).as_bytes())
        .expect("written");
    until_first_line(&stream);
    let killed = Command::new("kill")
        .args(["-INT", &server.child.id().to_string()])
        .status();
    assert!(killed.is_ok_and(|status| status.success()));
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        if let Some(status) = server.child.try_wait().expect("a child") {
            assert_eq!(status.code(), Some(0));
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it goes on");
}

#[test]
fn other_machines_cannot_be_let_in() {
    for address in ["0.0.0.0", "::", "192.0.2.1"] {
        let refused = Command::new(env!("CARGO_BIN_EXE_dalsegno"))
            .args(["serve", "--address", address])
            .output()
            .expect("the program starts");
        assert_eq!(refused.status.code(), Some(2));
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains("listens on 127.0.0.1 or ::1 only"), "{said}");
    }
}
