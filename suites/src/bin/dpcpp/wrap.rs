//! Images with what registers them, as assembly for the host: the descriptor that DPC++'s runtime takes.

use std::fmt::Write as _;
use std::path::Path;

use offload_formats::property_set::PropertySets;
use offload_formats::registration::{
    BINARIES_VERSION, DESCRIPTOR_SYMBOL, ENTRY_KIND_SYCL, ENTRY_VERSION, IMAGE_KIND_SYCL,
    IMAGE_VERSION, ImageFormat, PROPERTY_BYTES, PROPERTY_U32, REGISTER_FUNCTION,
    UNREGISTER_FUNCTION, target,
};
use offload_formats::syclbin::Module;

/// The text of it; the code of the images is written into files in `folder`.
///
/// # Errors
/// When a file cannot be written.
pub fn assembly(modules: &[Module], folder: &Path) -> Result<String, String> {
    let mut wrapper = Wrapper::default();
    let (empty, spirv) = (wrapper.text(""), wrapper.text(target::SPIR64));
    let mut images = String::new();
    let mut count = 0;
    for module in modules {
        let (entries, entries_end) = wrapper.entries(module);
        let (sets, sets_end) = wrapper.sets(&module.properties);
        for code in &module.code {
            let file = folder.join(format!("{count}.spv"));
            std::fs::write(&file, code).map_err(|e| format!("{}: {e}", file.display()))?;
            let (begin, end) = (wrapper.label(), wrapper.label());
            let place = file.display();
            let incbin = format!(".balign 16\n{begin}:\n.incbin \"{place}\"\n{end}:\n");
            wrapper.constants.push_str(&incbin);
            let format = ImageFormat::SpirV.number();
            images.push_str(&format!(
                ".short {IMAGE_VERSION}\n.byte {IMAGE_KIND_SYCL},{format}\n.long 0\n\
                 .quad {spirv},{empty},{empty},{begin},{end},{entries},{entries_end},{sets},{sets_end}\n"
            ));
            count += 1;
        }
    }
    let Wrapper {
        constants, data, ..
    } = wrapper;
    Ok(format!(
        ".section .rodata\n{constants}.section .data.rel.ro,\"aw\"\n.balign 8\n{data}\
         .Limages:\n{images}\
         .type {DESCRIPTOR_SYMBOL},@object\n{DESCRIPTOR_SYMBOL}:\n\
         .short {BINARIES_VERSION},{count}\n.long 0\n.quad .Limages,0,0\n\
         .size {DESCRIPTOR_SYMBOL},.-{DESCRIPTOR_SYMBOL}\n.text\n{register}{unregister}\
         .section .note.GNU-stack,\"\",@progbits\n",
        register = caller(REGISTER_FUNCTION, "init_array"),
        unregister = caller(UNREGISTER_FUNCTION, "fini_array"),
    ))
}

/// A function that hands the descriptor on, and its place among those that the loader calls.
fn caller(function: &str, array: &str) -> String {
    format!(
        ".L{function}: lea {DESCRIPTOR_SYMBOL}(%rip),%rdi\njmp {function}@PLT\n\
         .section .{array}.00001,\"aw\"\n.quad .L{function}\n.text\n"
    )
}

/// Constants, and the structures that point at them.
#[derive(Default)]
struct Wrapper {
    constants: String,
    data: String,
    labels: usize,
}

impl Wrapper {
    fn label(&mut self) -> String {
        self.labels += 1;
        format!(".L{}", self.labels)
    }

    fn bytes(&mut self, bytes: &[u8]) -> String {
        let label = self.label();
        let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
        let text = format!("{label}: .byte {}\n", numbers.join(","));
        self.constants.push_str(&text);
        label
    }

    fn text(&mut self, text: &str) -> String {
        self.bytes(&[text.as_bytes(), &[0]].concat())
    }

    /// A line of the structures.
    fn line(&mut self, line: &str) {
        // Writing into a string does not fail.
        let _ = writeln!(self.data, "{line}");
    }

    /// The kernels of a module; where they begin and end.
    fn entries(&mut self, module: &Module) -> (String, String) {
        let (begin, end) = (self.label(), self.label());
        let names: Vec<String> = module.kernels().map(|name| self.text(name)).collect();
        self.line(&format!("{begin}:"));
        for name in names {
            self.line(&format!(
                ".quad 0\n.short {ENTRY_VERSION},{ENTRY_KIND_SYCL}\n.long 0\n.quad 0,{name},0,0,0"
            ));
        }
        self.line(&format!("{end}:"));
        (begin, end)
    }

    /// Property sets; where they begin and end.
    fn sets(&mut self, sets: &PropertySets) -> (String, String) {
        let mut rows = Vec::new();
        for (name, set) in sets.iter() {
            let (begin, end) = (self.label(), self.label());
            let mut properties = Vec::new();
            for (key, value) in set {
                let key = self.text(key);
                properties.push(match value.to_wire() {
                    Some(wire) => {
                        let value = self.bytes(&wire);
                        let size = wire.len();
                        format!(".quad {key},{value}\n.long {PROPERTY_BYTES},0\n.quad {size}")
                    }
                    None => {
                        let number = value.as_u32().unwrap_or_default();
                        format!(".quad {key},0\n.long {PROPERTY_U32},0\n.quad {number}")
                    }
                });
            }
            self.line(&format!("{begin}:"));
            properties.iter().for_each(|property| self.line(property));
            self.line(&format!("{end}:"));
            rows.push(format!(".quad {},{begin},{end}", self.text(name)));
        }
        let (begin, end) = (self.label(), self.label());
        self.line(&format!("{begin}:"));
        rows.iter().for_each(|row| self.line(row));
        self.line(&format!("{end}:"));
        (begin, end)
    }
}
