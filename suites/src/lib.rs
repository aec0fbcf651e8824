//! The conformance harness: what the documents ask for, the cases that show it, and the runner that
//! holds a toolchain to them.
//!
//! Data first: [`catalogue`] reads the requirements of `suites/spec/`, [`case`] the cases of
//! `suites/cases/`, [`toolchain`] the descriptions of `suites/toolchains/` with the [`dialect`] of
//! each, [`tools`] the judges of `suites/tools.yaml`; [`library`] finds them all and checks them against each other. Then
//! [`run`] runs one case for one toolchain: it fills in [`placeholder`]s, starts the commands, each
//! [`supervised`], and
//! lets [`check`] hold what happened (as [`normalise`] writes it) against what the case expects,
//! reading what programs [`produced`],
//! with [`golden`] for longer texts, which [`bless`] writes anew. [`deviation`] says what known failures make of an outcome.
//! Outcomes come to one of six [`verdict`]s with their [`evidence`], and a [`report`] has them by case
//! and by requirement; meanwhile, [`progress`] tells what runs, and [`durations`] has the longest cases begin first. [`select`] chooses cases. [`coverage`] says which requirement has which cases, and
//! [`export`] writes everything as plain JSON for teams that need neither Rust nor this reader. [`fault`]
//! breaks a toolchain on purpose, so that it shows whether cases notice; programs are [`generated`] from numbers. A [`matrix`] keeps verdicts with the
//! sources, and the [`book`] shows all of it to readers.
//!
//! Invariant: the reference is driven by command lines alone, like any other toolchain.

pub mod bless;
pub mod book;
pub mod browser;
pub mod by_hand;
pub mod case;
pub mod catalogue;
pub mod check;
pub mod confine;
pub mod coverage;
pub mod deviation;
pub mod dialect;
pub mod durations;
pub mod evidence;
pub mod export;
pub mod fault;
pub mod generated;
pub mod golden;
pub mod layout;
pub mod leftovers;
pub mod library;
pub mod matrix;
pub mod normalise;
pub mod obstacle;
pub mod placeholder;
pub mod produced;
pub mod progress;
pub mod report;
pub mod run;
pub mod select;
pub mod supervised;
pub mod toolchain;
pub mod tools;
pub mod until;
pub mod verdict;
