//! A crew of timely workers: each flood is a dataflow of one operator whose output is its input.
//!
//! The operator holds a capability while it has work; the dataflow ends when nobody holds one and nothing is under way.
//! Timely takes whatever is sent, so a worker stops working while one of the others has too many of its parcels: each
//! parcel that was taken is a credit, told with the next parcel that goes back.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use dalsegno_explicit::flood::{Crew, HALT, Lost, Outbox, Task};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{ConnectLoop, Feedback};
use timely::worker::Worker;

use crate::heart::Fault;
use crate::parcel::{Parcel, Router};

/// Parcels to one worker that may be under way.
const CREDIT: u32 = 16;

/// How long a worker that waits does not look whether somebody was lost.
const LOOK: Duration = Duration::from_millis(20);

/// A worker of the crew.
pub struct Member<'a> {
    worker: &'a mut Worker,
    fault: Arc<Fault>,
}

impl<'a> Member<'a> {
    pub(crate) fn new(worker: &'a mut Worker, fault: Arc<Fault>) -> Self {
        Member { worker, fault }
    }
}

/// What is under way between this worker and the others.
struct Credits {
    /// Parcels that others have not taken yet, and their bytes together.
    under_way: Vec<u32>,
    /// Parcels of others that were taken, and of which they do not know.
    taken: Vec<u32>,
}

impl Credits {
    fn is_crowded(&self) -> bool {
        self.under_way.iter().any(|&count| count >= CREDIT)
    }

    fn bytes(&self) -> u64 {
        // Parcels are of about the same length.
        let parcels: u32 = self.under_way.iter().sum();
        u64::from(parcels) * (40 << 10)
    }
}

impl Crew for Member<'_> {
    fn index(&self) -> usize {
        self.worker.index()
    }

    fn peers(&self) -> usize {
        self.worker.peers()
    }

    fn flood<T: Task + 'static>(&mut self, task: T) -> Result<T, Lost> {
        let (index, peers) = (self.index(), self.peers());
        let cell = Rc::new(RefCell::new(Some(task)));
        let inner = Rc::clone(&cell);
        self.worker.dataflow::<u64, _, _>(move |scope| {
            let (handle, cycle) = scope.feedback::<Parcel>(1);
            let stream = cycle.unary::<CapacityContainerBuilder<Parcel>, _, _, _>(
                DistributorPact(|_| Router),
                "flood",
                move |capability, info| {
                    let activator = scope.activator_for(info.address);
                    let mut held = Some(capability);
                    let mut out = Outbox::new(index, peers);
                    let mut credits = Credits {
                        under_way: vec![0; peers],
                        taken: vec![0; peers],
                    };
                    move |input, output| {
                        let mut slot = inner.borrow_mut();
                        let Some(task) = slot.as_mut() else { return };
                        let port = output.output_index();
                        input.for_each(|time, parcel| {
                            if held.is_none() {
                                held = Some(time.retain(port));
                            }
                            let from = parcel.from as usize;
                            let under_way = &mut credits.under_way[from];
                            *under_way = under_way.saturating_sub(parcel.taken);
                            if parcel.words.is_empty() {
                                return;
                            }
                            credits.taken[from] += 1;
                            if parcel.words == [HALT] {
                                out.halted_by_other();
                            } else if !out.is_halted() {
                                task.receive(from, &parcel.words);
                            }
                        });
                        let Some(capability) = &held else { return };
                        out.set_under_way(credits.bytes());
                        let crowded = credits.is_crowded() && !out.is_halted();
                        let busy = !crowded && !out.is_halted() && task.work(&mut out);
                        let mut send = |to: usize, words: Vec<u64>, credits: &mut Credits| {
                            credits.under_way[to] += u32::from(!words.is_empty());
                            let mut parcel = Parcel {
                                to: to as u32,
                                from: index as u32,
                                taken: std::mem::take(&mut credits.taken[to]),
                                counts: true,
                                words,
                            };
                            output
                                .session_with_builder(capability)
                                .give_container(&mut parcel);
                        };
                        for (to, words) in out.take(!busy && !crowded) {
                            send(to, words, &mut credits);
                        }
                        for to in 0..peers {
                            if credits.taken[to] > 0 {
                                send(to, Vec::new(), &mut credits);
                            }
                        }
                        if busy {
                            activator.activate();
                        } else if !crowded {
                            held = None;
                        }
                    }
                },
            );
            stream.connect_loop(handle);
        });
        while self.worker.has_dataflows() {
            if let Some(lost) = self.fault.is_set().then(|| self.fault.reason()).flatten() {
                return Err(lost);
            }
            self.worker.step_or_park(Some(LOOK));
        }
        let task = cell.borrow_mut().take();
        task.ok_or_else(|| Lost("a flood was lost".to_owned()))
    }
}
