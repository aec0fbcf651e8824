//! The wrapping module: the descriptor of `offload_formats::registration` as LLVM constants, and
//! the functions that hand it to the runtime.

use std::cell::RefCell;
use std::collections::HashMap;

use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::targets::{TargetMachine, TargetTriple};
use inkwell::types::{IntType, PointerType};
use inkwell::values::{BasicValueEnum, FunctionValue, GlobalValue, PointerValue, StructValue};

use offload_formats::property_set::{PropertySet, PropertyValue};
use offload_formats::registration as layout;

use super::{DeviceImage, HostTarget, WrapError};

/// Priority of registration among static constructors: ahead of everything that a program writes.
const PRIORITY: u32 = 1;

/// What stands in the places of the images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    There,
    /// Nothing yet.
    Zeros,
}

/// Builds the module that registers `images`; and the symbols of their places, in their order.
pub(super) fn build<'ctx>(
    context: &'ctx Context,
    images: &[DeviceImage],
    (host, machine): (&HostTarget, &TargetMachine),
    contents: Contents,
) -> Result<(Module<'ctx>, Vec<String>), WrapError> {
    let module = context.create_module("sycl.wrapper");
    module.set_triple(&TargetTriple::create(&host.triple));
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let builder = Builder::new(context, &module, contents);
    let descriptor = builder.descriptor(images)?;
    builder.keep_image_places();
    let register = builder.caller("sycl.descriptor_reg", layout::REGISTER_FUNCTION, descriptor);
    let unregister = builder.caller(
        "sycl.descriptor_unreg",
        layout::UNREGISTER_FUNCTION,
        descriptor,
    );
    if host.is_elf() {
        builder.run_from(&format!(".init_array.{PRIORITY}"), register);
        builder.run_from(&format!(".fini_array.{PRIORITY}"), unregister);
    } else {
        builder.run_from(".CRT$XCB", register);
        builder.run_from(".CRT$XTB", unregister);
    }
    let symbols = builder.symbols.into_inner();
    Ok((module, symbols))
}

struct Builder<'a, 'ctx> {
    context: &'ctx Context,
    module: &'a Module<'ctx>,
    ptr: PointerType<'ctx>,
    i8: IntType<'ctx>,
    i16: IntType<'ctx>,
    i32: IntType<'ctx>,
    i64: IntType<'ctx>,
    /// The texts so far: images have most of theirs in common.
    texts: RefCell<HashMap<String, PointerValue<'ctx>>>,
    /// Where each image is said to stand.
    places: RefCell<Vec<PointerValue<'ctx>>>,
    contents: Contents,
    /// Under which symbol each image stands.
    symbols: RefCell<Vec<String>>,
}

/// Where an array begins and where it ends; both null for an empty one.
type Range<'ctx> = [BasicValueEnum<'ctx>; 2];

impl<'a, 'ctx> Builder<'a, 'ctx> {
    fn new(context: &'ctx Context, module: &'a Module<'ctx>, contents: Contents) -> Self {
        Builder {
            context,
            module,
            ptr: context.ptr_type(AddressSpace::default()),
            i8: context.i8_type(),
            i16: context.i16_type(),
            i32: context.i32_type(),
            i64: context.i64_type(),
            texts: RefCell::default(),
            places: RefCell::default(),
            contents,
            symbols: RefCell::default(),
        }
    }

    fn descriptor(&self, images: &[DeviceImage]) -> Result<PointerValue<'ctx>, WrapError> {
        let count = u16::try_from(images.len()).map_err(|_| WrapError::TooMany(images.len()))?;
        let structs: Vec<StructValue> = images
            .iter()
            .map(|image| self.image(image))
            .collect::<Result<_, _>>()?;
        let [first, _] = self.array(".sycl_offloading.device_images", &structs);
        let value = self.record(&[
            self.i16
                .const_int(layout::BINARIES_VERSION.into(), false)
                .into(),
            self.i16.const_int(count.into(), false).into(),
            first,
            self.null(),
            self.null(),
        ]);
        let global = self.constant(".sycl_offloading.descriptor", value.into());
        Ok(global.as_pointer_value())
    }

    fn image(&self, image: &DeviceImage) -> Result<StructValue<'ctx>, WrapError> {
        let [begin, end] = self.image_bytes(image)?;
        let entries: Vec<StructValue> = image
            .entries
            .iter()
            .map(|name| self.entry(name))
            .collect::<Result<_, _>>()?;
        let [first_entry, last_entry] = self.array(".sycl_offloading.entries", &entries);
        let sets: Vec<StructValue> = image
            .properties
            .iter()
            .map(|(name, set)| self.property_set(name, set))
            .collect::<Result<_, _>>()?;
        let [first_set, last_set] = self.array(".sycl_offloading.property_sets", &sets);
        Ok(self.record(&[
            self.i16
                .const_int(layout::IMAGE_VERSION.into(), false)
                .into(),
            self.i8
                .const_int(layout::IMAGE_KIND_SYCL.into(), false)
                .into(),
            self.i8
                .const_int(image.format.number().into(), false)
                .into(),
            self.text("target", &image.target)?,
            self.text("compile options", &image.compile_options)?,
            self.text("link options", &image.link_options)?,
            begin,
            end,
            first_entry,
            last_entry,
            first_set,
            last_set,
        ]))
    }

    /// The bytes, in a section named after the target.
    fn image_bytes(&self, image: &DeviceImage) -> Result<Range<'ctx>, WrapError> {
        let data: BasicValueEnum = match self.contents {
            Contents::There => self.context.const_string(&image.bytes, false).into(),
            Contents::Zeros => {
                let length = u32::try_from(image.bytes.len()).map_err(|_| {
                    WrapError::Emit(format!(
                        "the image for '{}' has {} bytes; an object takes less than 4 GiB of one",
                        image.target,
                        image.bytes.len()
                    ))
                })?;
                self.i8.array_type(length).const_zero().into()
            }
        };
        let global = self.constant(".sycl_offloading.image", data);
        let symbol = global.get_name().to_string_lossy().into_owned();
        self.symbols.borrow_mut().push(symbol);
        global.set_section(Some(&image.target));
        global.set_alignment(16);
        let begin = global.as_pointer_value();
        let end = self.offset(begin, image.bytes.len());
        self.image_place(begin, image.bytes.len());
        Ok([begin.into(), end.into()])
    }

    /// An image's address and size in [`layout::IMAGES_SECTION`].
    fn image_place(&self, begin: PointerValue<'ctx>, size: usize) {
        let address = begin.const_to_int(self.i64);
        let size = self.i64.const_int(size as u64, false);
        let place = self.i64.const_array(&[address, size]);
        let global = self.constant(".sycl_offloading.place", place.into());
        global.set_section(Some(layout::IMAGES_SECTION));
        global.set_alignment(16);
        self.places.borrow_mut().push(global.as_pointer_value());
    }

    /// Keeps what nothing refers to.
    fn keep_image_places(&self) {
        let places = self.places.borrow();
        if !places.is_empty() {
            let used = self.ptr.const_array(&places);
            let global = self.module.add_global(used.get_type(), None, "llvm.used");
            global.set_initializer(&used);
            global.set_linkage(Linkage::Appending);
            global.set_section(Some("llvm.metadata"));
        }
    }

    fn entry(&self, name: &str) -> Result<StructValue<'ctx>, WrapError> {
        Ok(self.record(&[
            self.i64.const_zero().into(),
            self.i16
                .const_int(layout::ENTRY_VERSION.into(), false)
                .into(),
            self.i16
                .const_int(layout::ENTRY_KIND_SYCL.into(), false)
                .into(),
            self.i32.const_zero().into(),
            self.null(),
            self.text("an entry point's name", name)?,
            self.i64.const_zero().into(),
            self.i64.const_zero().into(),
            self.null(),
        ]))
    }

    fn property_set(&self, name: &str, set: &PropertySet) -> Result<StructValue<'ctx>, WrapError> {
        let properties: Vec<StructValue> = set
            .iter()
            .map(|(key, value)| self.property(key, value))
            .collect::<Result<_, _>>()?;
        let [first, last] = self.array(".sycl_offloading.properties", &properties);
        let name = self.text("a property set's name", name)?;
        Ok(self.record(&[name, first, last]))
    }

    fn property(&self, key: &str, value: &PropertyValue) -> Result<StructValue<'ctx>, WrapError> {
        let (address, kind, size) = match value.to_wire() {
            None => {
                let number = value.as_u32().unwrap_or_default();
                (self.null(), layout::PROPERTY_U32, u64::from(number))
            }
            Some(wire) => {
                let data = self.context.const_string(&wire, false);
                let global = self.constant(".sycl_offloading.property", data.into());
                let address = global.as_pointer_value().into();
                (address, layout::PROPERTY_BYTES, wire.len() as u64)
            }
        };
        Ok(self.record(&[
            self.text("a property's name", key)?,
            address,
            self.i32.const_int(kind.into(), false).into(),
            self.i64.const_int(size, false).into(),
        ]))
    }

    /// A function without parameters that hands the descriptor to `callee`.
    fn caller(
        &self,
        name: &str,
        callee: &str,
        descriptor: PointerValue<'ctx>,
    ) -> FunctionValue<'ctx> {
        let void = self.context.void_type();
        let callee = self.module.add_function(
            callee,
            void.fn_type(&[self.ptr.into()], false),
            Some(Linkage::External),
        );
        let function =
            self.module
                .add_function(name, void.fn_type(&[], false), Some(Linkage::Internal));
        let builder = self.context.create_builder();
        builder.position_at_end(self.context.append_basic_block(function, "entry"));
        // The builder has a position and the argument has the parameter's type: nothing here fails.
        let _ = builder.build_call(callee, &[descriptor.into()], "");
        let _ = builder.build_return(None);
        function
    }

    /// Puts a function into one of the sections whose functions the loader calls.
    fn run_from(&self, section: &str, function: FunctionValue<'ctx>) {
        let pointer = function.as_global_value().as_pointer_value();
        let name = format!("{section}.entry");
        let global = self.module.add_global(self.ptr, None, &name);
        global.set_initializer(&pointer);
        global.set_linkage(Linkage::Internal);
        global.set_section(Some(section));
        global.set_alignment(8);
    }

    fn array(&self, name: &str, values: &[StructValue<'ctx>]) -> Range<'ctx> {
        let Some(first) = values.first() else {
            return [self.null(), self.null()];
        };
        let ty = first.get_type();
        let global = self.constant(name, ty.const_array(values).into());
        let begin = global.as_pointer_value();
        let length = self.i64.const_int(values.len() as u64, false);
        // SAFETY: the index is one past the last element of the array that `begin` points to.
        let end = unsafe { begin.const_in_bounds_gep(ty, &[length]) };
        [begin.into(), end.into()]
    }

    fn text(&self, what: &'static str, text: &str) -> Result<BasicValueEnum<'ctx>, WrapError> {
        if text.contains('\0') {
            return Err(WrapError::Nul {
                what,
                text: text.to_owned(),
            });
        }
        let mut texts = self.texts.borrow_mut();
        if let Some(known) = texts.get(text) {
            return Ok((*known).into());
        }
        let data = self.context.const_string(text.as_bytes(), true);
        let global = self.constant(".sycl_offloading.text", data.into());
        let pointer = global.as_pointer_value();
        texts.insert(text.to_owned(), pointer);
        Ok(pointer.into())
    }

    fn constant(&self, name: &str, value: BasicValueEnum<'ctx>) -> GlobalValue<'ctx> {
        let global = self.module.add_global(value.get_type(), None, name);
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Internal);
        global
    }

    fn offset(&self, pointer: PointerValue<'ctx>, bytes: usize) -> PointerValue<'ctx> {
        let index = self.i64.const_int(bytes as u64, false);
        // SAFETY: the index is at most one past the last byte of the array that is pointed to.
        unsafe { pointer.const_in_bounds_gep(self.i8, &[index]) }
    }

    fn record(&self, fields: &[BasicValueEnum<'ctx>]) -> StructValue<'ctx> {
        self.context.const_struct(fields, false)
    }

    fn null(&self) -> BasicValueEnum<'ctx> {
        self.ptr.const_null().into()
    }
}
