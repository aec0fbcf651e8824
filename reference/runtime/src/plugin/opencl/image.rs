//! OpenCL images that a program made itself (SYCL 2020, OpenCL backend specification,
//! `make_sampled_image` and `make_unsampled_image`).
//!
//! Images of SYCL are memory like a buffer's here, so no kernel has OpenCL's own: pixels are copied.

use std::ffi::c_void;

use cl3::command_queue::{enqueue_read_image, enqueue_write_image};
use cl3::info_type::InfoType;
use cl3::memory::{get_image_info, get_mem_object_info};
use opencl3::event::Event as ClEvent;
use opencl3::memory::{
    CL_BGRA, CL_FLOAT, CL_HALF_FLOAT, CL_IMAGE_DEPTH, CL_IMAGE_FORMAT, CL_IMAGE_HEIGHT,
    CL_IMAGE_WIDTH, CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE3D, CL_MEM_TYPE, CL_RGBA, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32,
    CL_UNORM_INT8, CL_UNORM_INT16, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32,
    ClMem as _, Image, retain_mem_object,
};
use opencl3::types::{cl_event, cl_int, cl_uint};

use super::foreign::{invalid, told};
use super::queue::OpenClQueue;
use super::refused;
use crate::error::Result;
use crate::plugin::foreign::{ForeignImage, ImageShape};

/// OpenCL's channel order and type of each pixel that SYCL has, its `sycl::image_format` and its bytes.
const FORMATS: [(cl_uint, cl_uint, u32, usize); 11] = [
    (CL_RGBA, CL_UNORM_INT8, 0, 4),
    (CL_RGBA, CL_UNORM_INT16, 1, 8),
    (CL_RGBA, CL_SIGNED_INT8, 2, 4),
    (CL_RGBA, CL_SIGNED_INT16, 3, 8),
    (CL_RGBA, CL_SIGNED_INT32, 4, 16),
    (CL_RGBA, CL_UNSIGNED_INT8, 5, 4),
    (CL_RGBA, CL_UNSIGNED_INT16, 6, 8),
    (CL_RGBA, CL_UNSIGNED_INT32, 7, 16),
    (CL_RGBA, CL_HALF_FLOAT, 8, 8),
    (CL_RGBA, CL_FLOAT, 9, 16),
    (CL_BGRA, CL_UNORM_INT8, 10, 4),
];

/// An OpenCL image of the program's.
pub(super) struct OpenClImage {
    object: Image,
    shape: ImageShape,
    /// For its pixels alone.
    queue: OpenClQueue,
}

// SAFETY: OpenCL's objects are for all threads (OpenCL specification, appendix "Shared OpenCL Objects").
unsafe impl Sync for OpenClImage {}

impl OpenClImage {
    /// An image whose pixels go through a queue of its context.
    ///
    /// # Errors
    /// `Invalid` for memory that is no image of one to three dimensions, and for pixels that SYCL has not.
    ///
    /// # Safety
    /// `native` must be live memory of the driver.
    pub unsafe fn adopt(native: *mut c_void, queue: OpenClQueue) -> Result<OpenClImage> {
        let shape = shape(native)?;
        // SAFETY: as the caller says; the image takes the reference over.
        let object = unsafe {
            retain_mem_object(native).map_err(|e| refused("keep an image")(e.into()))?;
            Image::new(native)
        };
        Ok(OpenClImage {
            object,
            shape,
            queue,
        })
    }

    /// Waits for a copy of all pixels.
    fn copied(&self, submitted: std::result::Result<cl_event, cl_int>) -> Result<()> {
        let event = submitted.map_err(|e| refused("copy an image")(e.into()))?;
        self.queue
            .ended(&ClEvent::new(event))
            .map_err(refused("copy an image"))
    }
}

/// What the driver says that an image holds.
fn shape(native: *mut c_void) -> Result<ImageShape> {
    let dimensions = match told(get_mem_object_info(native, CL_MEM_TYPE))?.to_uint() {
        CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER => 1,
        CL_MEM_OBJECT_IMAGE2D => 2,
        CL_MEM_OBJECT_IMAGE3D => 3,
        _ => return Err(invalid("the driver's memory is no image that SYCL has")),
    };
    let formats = match told(get_image_info(native, CL_IMAGE_FORMAT))? {
        InfoType::VecImageFormat(formats) => formats,
        _ => Vec::new(),
    };
    let known = formats.first().and_then(|format| {
        let given = (format.image_channel_order, format.image_channel_data_type);
        FORMATS.iter().find(|known| (known.0, known.1) == given)
    });
    let (_, _, format, pixel) =
        *known.ok_or_else(|| invalid("SYCL has no pixels like those of the driver's image"))?;
    // What an image has no more of has a size of 0 in OpenCL.
    let mut size = [1; 3];
    let asked = [CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH];
    for (place, question) in size.iter_mut().zip(asked).take(dimensions) {
        *place = told(get_image_info(native, question))?.to_size();
    }
    Ok(ImageShape {
        dimensions,
        size,
        format,
        pixel,
    })
}

impl ForeignImage for OpenClImage {
    fn shape(&self) -> ImageShape {
        self.shape
    }

    fn read(&self, to: &mut [u8]) -> Result<()> {
        assert_eq!(to.len(), self.shape.bytes(), "all pixels of the image");
        let (origin, region) = ([0; 3], self.shape.size);
        // SAFETY: the bytes are as many as those of all pixels, without gaps (a pitch of 0); the
        // command is waited for, so that they outlive it.
        let submitted = unsafe {
            enqueue_read_image(
                self.queue.handle(),
                self.object.get(),
                0,
                origin.as_ptr(),
                region.as_ptr(),
                0,
                0,
                to.as_mut_ptr().cast(),
                0,
                std::ptr::null(),
            )
        };
        self.copied(submitted)
    }

    fn write(&self, from: &[u8]) -> Result<()> {
        assert_eq!(from.len(), self.shape.bytes(), "all pixels of the image");
        let (origin, region) = ([0; 3], self.shape.size);
        // SAFETY: as above.
        let submitted = unsafe {
            enqueue_write_image(
                self.queue.handle(),
                self.object.get(),
                0,
                origin.as_ptr(),
                region.as_ptr(),
                0,
                0,
                from.as_ptr().cast_mut().cast(),
                0,
                std::ptr::null(),
            )
        };
        self.copied(submitted)
    }
}
