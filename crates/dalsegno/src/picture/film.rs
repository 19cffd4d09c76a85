//! A run on a net as a strip of pictures: one for each state, with the transition that fires next in colour.
//!
//! Each frame is a picture of the whole net in the same arrangement, so that only tokens move from frame to frame.

use std::fmt::Write as _;

use dalsegno_kripke::{GroupId, Step};
use dalsegno_models::petri::PetriNet;

use super::{NetPicture, Picture, PictureError, net};
use crate::answer::Evidence;

/// A strip has at most so many frames.
const MAX_FRAMES: usize = 64;
/// Frames share a row up to this width.
const ROW: f64 = 1_300.0;
/// The room above a net for its heading, and the room around it.
const HEADING: f64 = 30.0;
const MARGIN: f64 = 8.0;

/// A picture of a run or a path on a net.
///
/// # Errors
/// If there is too much to draw, or the evidence is a tree of paths.
pub fn film(net: &PetriNet, evidence: &Evidence) -> Result<Picture, PictureError> {
    let (steps, back): (Vec<&Step>, Option<usize>) = match evidence {
        Evidence::Run(run) => {
            let steps = run.stem.iter().chain(&run.cycle);
            (steps.collect(), Some(run.stem.len()))
        }
        Evidence::Prefix(path) | Evidence::Path(path) => (path.iter().collect(), None),
        Evidence::Explanation(_) => return Err(PictureError::Tree),
    };
    if steps.len() > MAX_FRAMES {
        return Err(PictureError::Frames(steps.len(), MAX_FRAMES));
    }
    let mut frames = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        let marking = Some(&step.state[..]);
        let picture = NetPicture {
            marking,
            ..NetPicture::default()
        };
        let before = position.checked_sub(1).and_then(|p| steps[p].group);
        let mut heading = match before {
            Some(GroupId(t)) => {
                let name = &net.transitions()[t as usize].name;
                format!("state {position}, after {name}")
            }
            None => format!("state {position}"),
        };
        if let Some(back) = back.filter(|_| position + 1 == steps.len()) {
            let _ = write!(heading, "; then back to state {back}");
        }
        // A prefix ends in a state that nothing is said to leave.
        let fires = step
            .group
            .filter(|_| back.is_some() || position + 1 < steps.len());
        frames.push(Frame {
            picture: self::net(net, &picture)?,
            heading,
            fires,
            repeats: back.is_some_and(|back| position >= back),
        });
    }
    Ok(strip(net.name(), &frames))
}

struct Frame {
    picture: Picture,
    heading: String,
    /// The transition that fires next.
    fires: Option<GroupId>,
    /// Whether the state belongs to the cycle.
    repeats: bool,
}

/// Frames in rows, from left to right.
fn strip(name: &str, frames: &[Frame]) -> Picture {
    let width = frames.iter().map(|f| f.picture.width).fold(0.0, f64::max) + 2.0 * MARGIN;
    let height = frames.iter().map(|f| f.picture.height).fold(0.0, f64::max) + HEADING + MARGIN;
    let (mut x, mut y, mut right) = (0.0, 0.0, 0.0_f64);
    let mut styles = String::new();
    let mut parts = String::new();
    for (i, frame) in frames.iter().enumerate() {
        if i > 0 && x + width > ROW {
            (x, y) = (0.0, y + height + MARGIN);
        }
        right = right.max(x + width);
        if let Some(GroupId(t)) = frame.fires {
            let _ = write!(
                styles,
                ".frame-{i} [data-transition=\"{t}\"] .bar{{fill:var(--ds-fires,#D55E00)}}"
            );
        }
        let border = if frame.repeats { "#0072B2" } else { "#d0d7de" };
        let _ = write!(
            parts,
            "<g class=\"frame-{i}\" transform=\"translate({x:.1} {y:.1})\">\n\
             <rect x=\"1\" y=\"1\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\" fill=\"#ffffff\" stroke=\"{border}\" \
             stroke-width=\"1.5\"/>\n\
             <text x=\"12\" y=\"21\" font-size=\"14\" font-weight=\"600\" fill=\"#1f2328\">{}</text>\n\
             <g transform=\"translate({MARGIN} {HEADING})\">\n{}</g>\n</g>\n",
            width - 2.0,
            height - 2.0,
            escaped(&frame.heading),
            frame.picture.svg
        );
        x += width + MARGIN;
    }
    let total = (right, y + height);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.1} {1:.1}\" width=\"{0:.1}\" height=\"{1:.1}\" \
         role=\"img\" font-family=\"system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,sans-serif\">\n\
         <title>A run of {2}</title>\n<style>{styles}</style>\n{parts}</svg>\n",
        total.0,
        total.1,
        escaped(name)
    );
    Picture {
        svg,
        width: total.0,
        height: total.1,
        places: frames
            .first()
            .map(|f| f.picture.places.clone())
            .unwrap_or_default(),
        transitions: frames
            .first()
            .map(|f| f.picture.transitions.clone())
            .unwrap_or_default(),
    }
}

/// Text for elements.
fn escaped(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_control());
    let kept: String = kept.collect();
    kept.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::Lasso;
    use dalsegno_models::petri::generators::Family;

    use super::*;

    #[test]
    fn a_frame_for_each_state_shows_what_fires() {
        let net = "philosophers"
            .parse::<Family>()
            .unwrap()
            .generate(2)
            .unwrap();
        let step = |group| Step {
            state: net.initial_marking(),
            group,
        };
        let run = Evidence::Run(Lasso::new(vec![step(Some(GroupId(0)))], vec![step(None)]));
        let picture = film(&net, &run).unwrap();
        assert_eq!(picture.svg.matches("<g class=\"frame-").count(), 2);
        assert!(
            picture
                .svg
                .contains(".frame-0 [data-transition=\"0\"] .bar")
        );
        assert!(
            picture
                .svg
                .contains(">state 1, after FF1a_1; then back to state 1</text>"),
            "{}",
            picture.svg
        );
        let path = Evidence::Path(vec![step(Some(GroupId(1))); 2]);
        let picture = film(&net, &path).unwrap();
        assert!(
            !picture.svg.contains(".frame-1 ["),
            "nothing leaves the last state"
        );
        let long = Evidence::Path(vec![step(None); MAX_FRAMES + 1]);
        assert!(matches!(
            film(&net, &long),
            Err(PictureError::Frames(65, 64))
        ));
    }
}
