//! The report as text for people.

use std::fmt::{self, Write as _};

use offload_formats::property_set::{ASPECT_ORIGINS, PROPERTY_SETS};

use super::report::{Carrier, ImageReport, KernelReport, PropertyReport, Registration, Report};

/// The whole report.
#[must_use]
pub fn to_text(report: &Report) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_report(&mut text, report);
    text
}

fn write_report(out: &mut String, report: &Report) -> fmt::Result {
    let count = report.images.len();
    let images = if count == 1 { "image" } else { "images" };
    writeln!(
        out,
        "{}: {}, {count} device {images}",
        report.file, report.format
    )?;
    for (index, image) in report.images.iter().enumerate() {
        write_image(out, index, image)?;
    }
    Ok(())
}

fn write_image(out: &mut String, index: usize, image: &ImageReport) -> fmt::Result {
    let target = [image.kind, &image.triple, &image.arch];
    let target: Vec<_> = target.into_iter().filter(|part| !part.is_empty()).collect();
    let (target, kind, size) = (target.join(" "), &image.image_kind, image.size);
    let kind = match image.compressed_size {
        Some(_) if kind == "none" => "compressed".to_owned(),
        Some(stored) => format!("{kind} compressed to {stored} bytes"),
        None => kind.clone(),
    };
    writeln!(out, "\nimage {index}: {target}, {kind}, {size} bytes")?;
    writeln!(out, "  {}", place(image))?;
    for (key, value) in image.properties.iter().filter(|(key, value)| {
        !value.is_empty() && (*key != PROPERTY_SETS || image.property_sets.is_empty())
    }) {
        writeln!(out, "  {key}: {value}")?;
    }
    match (&image.kernels, &image.unreadable) {
        (Some(kernels), _) => write_kernels(out, kernels)?,
        (None, Some(reason)) => writeln!(out, "  kernels cannot be read: {reason}")?,
        (None, None) => {}
    }
    write_properties(out, &image.property_sets)?;
    match &image.registered {
        Some(registered) => write_registration(out, registered),
        None => Ok(()),
    }
}

fn place(image: &ImageReport) -> String {
    let mut place = match image.carrier {
        Carrier::Embedded => "embedded",
        Carrier::Bundled => "bundled in the old format",
        Carrier::Registered => "registered by the program",
        Carrier::Bare => "the file itself",
        Carrier::Listed => "listed by the table",
    }
    .to_owned();
    if image.carrier == Carrier::Listed {
        // Its members are the file that the row names, of which it is the whole.
        return place + ", file " + &image.members.join(", ");
    }
    let members = image
        .members
        .iter()
        .map(|member| format!(", member {member}"));
    place.extend(members);
    place.extend(
        image
            .section
            .iter()
            .map(|section| format!(", section {section}")),
    );
    place + &format!(", offset {:#x}", image.offset)
}

fn write_kernels(out: &mut String, kernels: &[KernelReport]) -> fmt::Result {
    if kernels.is_empty() {
        return writeln!(out, "  no kernels");
    }
    for kernel in kernels {
        write!(out, "  kernel {}", kernel.demangled)?;
        if kernel.demangled != kernel.name {
            write!(out, " ({})", kernel.name)?;
        }
        if !kernel.work_group_size.is_empty() {
            let sizes: Vec<_> = kernel.work_group_size.iter().map(u32::to_string).collect();
            write!(out, ", work-group size {}", sizes.join("x"))?;
        }
        if let Some(size) = kernel.sub_group_size {
            write!(out, ", sub-group size {size}")?;
        }
        if !kernel.aspects.is_empty() {
            write!(out, ", aspects {}", kernel.aspects.join(" "))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_registration(out: &mut String, registered: &Registration) -> fmt::Result {
    for entry in &registered.entries {
        writeln!(out, "  entry {entry}")?;
    }
    for (name, options) in [
        ("compile options", &registered.compile_options),
        ("link options", &registered.link_options),
    ] {
        if !options.is_empty() {
            writeln!(out, "  {name}: {options}")?;
        }
    }
    write_properties(out, &registered.properties)
}

fn write_properties(out: &mut String, sets: &PropertyReport) -> fmt::Result {
    for (set, properties) in sets {
        writeln!(out, "  [{set}]")?;
        for (key, value) in properties {
            match value.as_array().filter(|_| set == ASPECT_ORIGINS) {
                Some(chain) => write_chain(out, key, chain)?,
                None => writeln!(out, "    {key} = {value}")?,
            }
        }
    }
    Ok(())
}

/// The calls from an entry point to the use of an aspect, one a line.
fn write_chain(out: &mut String, aspect: &str, chain: &[serde_json::Value]) -> fmt::Result {
    writeln!(out, "    {aspect} is used by this call chain:")?;
    for line in chain.iter().filter_map(|line| line.as_str()) {
        writeln!(out, "      {line}")?;
    }
    Ok(())
}
