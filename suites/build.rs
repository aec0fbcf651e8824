//! Keeps the place of this checkout out of the test programs, which run on other machines: insta compiles the
//! package's folder in, unless it is told another one. Golden files are named by their whole paths.

fn main() {
    println!("cargo:rustc-env=INSTA_WORKSPACE_ROOT=.");
    println!("cargo:rerun-if-changed=build.rs");
}
