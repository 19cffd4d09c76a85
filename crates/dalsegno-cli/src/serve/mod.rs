//! `dalsegno serve`: the page, and the calls behind it, on this machine alone.
//!
//! A server of our own on the sockets of the standard library: all that it has to do is one request per connection, and what
//! matters is what it does not do. It listens on loopback addresses only, serves files that are part of the program and
//! none of the machine, refuses requests of foreign pages, bounds heads, bodies, connections and waiting, and ends a call when its
//! client hangs up. Cost: a thread per connection, two for a call.

mod call;
mod http;

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use dalsegno::kripke::clock::Instant;
use dalsegno::kripke::{Budget, Stop};

use crate::memory;
use crate::quantity::{duration, size};
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};
use call::Slots;
use http::{Connection, Head, Refusal};

const EXAMPLES: &str = "\
Examples:
  dalsegno serve        prints the address of the page; Ctrl-C ends it
  dalsegno serve --port 8080 --timeout 5m
  curl -sN -H 'Content-Type: application/json' -d '{\"call\": \"version\"}' \\
    http://127.0.0.1:8080/api/call";

/// Show models, properties and automata on a page of this machine
///
/// Only this machine can reach the page. Exit codes: 0 ended by a signal, 2 error, 3 out of memory.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The port; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// The address to listen on, one of this machine alone
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,

    /// How many calls work at the same time; others wait
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..))]
    calls: u8,

    /// The most time for each call, in seconds or such as 250ms, 5s, 2m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// The most memory for all calls together, such as 500MB, 4G or 4GiB [default: three quarters of the memory
    /// that there is]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
}

/// The most connections at the same time; others are refused.
const CONNECTIONS: usize = 256;

/// The most bytes of a body, and of all bodies together.
const MOST_BODY: u64 = 64 << 20;
const ALL_BODIES: u64 = 256 << 20;

/// How long a head may take, and a body.
const HEAD: Duration = Duration::from_secs(10);
const BODY: Duration = Duration::from_secs(60);

/// The stack of a thread that reads and writes.
const STACK: usize = 512 << 10;

/// How long to wait when the system has no connection to give.
const PAUSE: Duration = Duration::from_millis(50);

/// What all connections share.
struct Server {
    /// What requests may call this server.
    hosts: Vec<String>,
    budget: Budget,
    /// For each call.
    timeout: Option<Duration>,
    /// For each call.
    bytes: u64,
    slots: Slots,
    connections: AtomicUsize,
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    if !arguments.address.is_loopback() {
        bail!(
            "{} can be reached from other machines: `serve` listens on 127.0.0.1 or ::1 only",
            arguments.address
        );
    }
    let address = SocketAddr::new(arguments.address, arguments.port);
    let listener =
        TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    let bytes = arguments.memory.unwrap_or_else(memory::default_limit);
    let server = Arc::new(Server {
        hosts: hosts(address),
        budget: watch.budget(None, bytes),
        timeout: arguments.timeout,
        bytes: bytes / u64::from(arguments.calls),
        slots: Slots::new(arguments.calls.into(), ALL_BODIES),
        connections: AtomicUsize::new(0),
    });
    watch.last_words(|stop, _| {
        if stop == Stop::Cancelled {
            return Status::Done;
        }
        complain(format_args!("error: the server has ended: {stop}"));
        Status::Unknown
    });
    writeln!(out, "http://{address}/")?;
    out.flush()?;
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => server.take(stream),
            // There may be no descriptor left: the connections that have them end some time.
            Err(_) => thread::sleep(PAUSE),
        }
    }
    Ok(Status::Done)
}

/// What a request may call this server: by its address, or by the name of this machine for itself.
fn hosts(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let mut hosts = vec![address.to_string(), format!("localhost:{port}")];
    if port == 80 {
        let ip = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        hosts.extend([ip, "localhost".to_owned()]);
    }
    hosts
}

impl Server {
    /// Serves a connection on a thread of its own.
    fn take(self: &Arc<Self>, stream: TcpStream) {
        let server = Arc::clone(self);
        let many = server.connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS;
        let counted = Counted(server);
        if many {
            // Without a word: the thread that accepts waits for nobody.
            return;
        }
        let builder = thread::Builder::new().name("connection".to_owned());
        // If the system has no thread to give, the connection ends.
        let _ = builder.stack_size(STACK).spawn(move || {
            let Ok(mut connection) = Connection::new(stream) else {
                return;
            };
            if let Err(refusal) = counted.0.serve(&mut connection) {
                connection.refuse(refusal);
            }
        });
    }

    /// Answers one request. Whoever hangs up is not told.
    fn serve(&self, connection: &mut Connection) -> Result<(), Refusal> {
        let Some(head) = connection.head(after(HEAD)?)? else {
            return Ok(());
        };
        head.check_origin(&self.hosts)?;
        match (head.method.as_str(), head.path.as_str()) {
            ("POST", "/api/call") => self.call(connection, &head),
            (_, "/api/call") => Err(Refusal(405, "calls are made by POST")),
            ("GET" | "HEAD", path) => {
                let path = path.strip_prefix('/').unwrap_or(path);
                let found = dalsegno_web::file(path);
                let (kind, bytes) = found.ok_or(Refusal(404, "there is no such page"))?;
                // The client is gone: there is nobody to tell.
                let _ = connection.respond(200, kind, bytes, head.method == "GET");
                Ok(())
            }
            _ => Err(Refusal(405, "pages are read by GET")),
        }
    }

    fn call(&self, connection: &mut Connection, head: &Head) -> Result<(), Refusal> {
        if !head.is_json()? {
            return Err(Refusal(415, "a call is of the type application/json"));
        }
        let length = head.length()?;
        if length > MOST_BODY {
            return Err(Refusal(413, "the body is larger than 64 MB"));
        }
        let room = self.slots.room(length);
        let room = room.ok_or(Refusal(503, "too many calls are waiting: try again later"))?;
        let expects = head.header("expect")?.unwrap_or_default();
        if expects.eq_ignore_ascii_case("100-continue") && connection.go_on().is_err() {
            return Ok(());
        }
        let body = connection.body(length, after(BODY)?)?;
        // What is no UTF-8 is no JSON either: the error says where.
        let request = String::from_utf8_lossy(&body).into_owned();
        drop(body);
        let mut budget = self.budget.part().with_bytes(self.bytes);
        if let Some(time) = self.timeout {
            budget = budget.with_time(time);
        }
        // The client is gone: there is nobody to tell.
        let _ = call::answer(connection, &request, &budget, &self.slots);
        drop(room);
        Ok(())
    }
}

/// The moment after so much time.
fn after(time: Duration) -> Result<Instant, Refusal> {
    let end = Instant::now().checked_add(time);
    end.ok_or(Refusal(503, "the clock is at its end"))
}

/// A connection that is counted until it ends.
struct Counted(Arc<Server>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
