//! What the two tools that link device code, with the host's and alone, are told of the link's stages.

use std::path::PathBuf;

use clap::Args;

use crate::link::line::options::Words;
use crate::translate::WriterChoice;

/// What the stages of a link are told.
#[derive(Debug, Clone, Args)]
pub struct StageOptions {
    /// Print the commands and stages; run none of them.
    #[arg(long)]
    pub dry_run: bool,
    /// Keep what every stage gives, beside the output.
    #[arg(long)]
    pub save_temps: bool,
    /// Options of the post-link stage.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub sycl_post_link_options: Vec<Words>,
    /// Options of the SPIR-V writer.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub llvm_spirv_options: Vec<Words>,
    /// Which SPIR-V writer: translator, translator-22, backend, internal or auto.
    #[arg(long, value_name = "WRITER", default_value = "auto")]
    pub spirv_writer: WriterChoice,
    /// The device configuration file by which modules are filtered before AOT compilation.
    #[arg(long, value_name = "FILE")]
    pub sycl_device_config_file: Option<PathBuf>,
}
