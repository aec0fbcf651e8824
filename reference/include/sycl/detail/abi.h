/* The C interface between the SYCL headers and the runtime library (libplumbline_sycl.so).
 *
 * Every function that can fail returns 0, or a value of sycl::errc; the reason of the last failure
 * on the calling thread is plsycl_error_message(). Handles are opaque. Platforms and devices live
 * as long as the process; all other handles are reference counted with _retain and _release.
 * Sizes are in bytes unless a name says otherwise; SYCL's dimension order (last varies fastest). */
#ifndef PLUMBLINE_SYCL_DETAIL_ABI_H
#define PLUMBLINE_SYCL_DETAIL_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plsycl_platform_object *plsycl_platform;
typedef struct plsycl_device_object *plsycl_device;
typedef struct plsycl_context_object *plsycl_context;
typedef struct plsycl_queue_object *plsycl_queue;
typedef struct plsycl_event_object *plsycl_event;
typedef struct plsycl_known_kernel_object *plsycl_known_kernel;
typedef struct plsycl_memory_object *plsycl_memory;
typedef struct plsycl_image_object *plsycl_image;
/* of the driver, made by the program: */
typedef struct plsycl_program_object *plsycl_program;
typedef struct plsycl_foreign_kernel_object *plsycl_foreign_kernel;
/* out of a source of the program's: */
typedef struct plsycl_object_object *plsycl_object;
typedef const struct plsycl_library_object *plsycl_library;

/* What all objects refer to that use the runtime, and a runtime has for one form of this interface
 * alone: objects of other headers neither link with it nor start. The number is this file's without
 * the next line; a test of the runtime's says which it has to be. */
#define PLSYCL_SAME_INTERFACE plumbline_headers_and_runtime_differ_8d3f2b12
extern const uint8_t PLSYCL_SAME_INTERFACE;

/* The reason of the last failure on this thread; valid until the next call on it. */
const char *plsycl_error_message(void);
/* OpenCL's number of that failure; 0 where it was none of OpenCL's. */
int32_t plsycl_error_of_opencl(void);

/* ---- kernels: what the integration headers say ---- */

enum plsycl_parameter_kind {
  PLSYCL_PARAMETER_ACCESSOR = 0,       /* a global_memory within the functor */
  PLSYCL_PARAMETER_LOCAL_ACCESSOR = 1, /* a local_memory within the functor */
  PLSYCL_PARAMETER_POINTER = 2,        /* a USM pointer */
  PLSYCL_PARAMETER_VALUE = 3,          /* bytes passed as they are */
  PLSYCL_PARAMETER_MEMORY = 4,         /* the word of a global_memory: its pointer alone */
  PLSYCL_PARAMETER_LOCAL_MEMORY = 5,   /* the word of a local_memory: its pointer alone */
  PLSYCL_PARAMETER_SCRATCH = 6 /* none: it needs scratch memory, and has no accessor for it */
};

typedef struct {
  uint32_t kind;   /* enum plsycl_parameter_kind */
  uint32_t size;   /* within the functor */
  uint32_t offset; /* within the functor */
} plsycl_parameter;

typedef struct {
  const char *name; /* entry point, "_ZTS..." */
  uint64_t functor_size;
  const plsycl_parameter *parameters; /* in the order of the entry point's parameters */
  uint64_t parameter_count;
  const char *functor; /* what the kernel was made of, word for word as its image has it */
} plsycl_kernel_info;

/* Called by static objects of translation units; the records must outlive the process's kernels. */
void plsycl_announce_kernels(const plsycl_kernel_info *kernels, size_t count);

/* Called by static objects of translation units as well: what images call device globals, objects
 * of the host. An object that the host compiler left out is null. */
void plsycl_announce_device_globals(const void *const *objects, const char *const *names,
                                    size_t count);

/* A kernel as a host compiler names it that numbers closures in its own way. */
typedef struct {
  const char *name; /* of a pointer to the kernel's name, "P..." */
  const char *unit; /* the tag of the translation unit; may be empty */
  uint64_t functor_size;
} plsycl_host_kernel;

/* Called for each such kernel of a binary before any code of the program runs; `origin` is in the
 * binary's code. */
void plsycl_enroll_kernel(const plsycl_host_kernel *kernel, const void *origin);
/* The entry point that such a kernel of that binary means. Writes at most `capacity` bytes and
 * always the whole size; no terminator. Fails when that cannot be told for certain. */
int32_t plsycl_kernel_meant(const plsycl_host_kernel *kernel, const void *origin, void *name,
                            size_t capacity, size_t *size);

/* ---- platforms and devices ---- */

enum plsycl_backend {
  PLSYCL_BACKEND_OPENCL = 1,
  PLSYCL_BACKEND_LEVEL_ZERO = 2,
  PLSYCL_BACKEND_CUDA = 3
};

enum plsycl_platform_info {
  PLSYCL_PLATFORM_NAME = 1,   /* text */
  PLSYCL_PLATFORM_VENDOR = 2, /* text */
  PLSYCL_PLATFORM_VERSION = 3,
  PLSYCL_PLATFORM_EXTENSIONS = 4, /* text, separated by blanks */
  PLSYCL_PLATFORM_BACKEND = 5     /* uint64_t, enum plsycl_backend */
};

enum plsycl_device_info {
  PLSYCL_DEVICE_NAME = 1,             /* text */
  PLSYCL_DEVICE_VENDOR = 2,           /* text */
  PLSYCL_DEVICE_VERSION = 3,          /* text */
  PLSYCL_DEVICE_DRIVER_VERSION = 4,   /* text */
  PLSYCL_DEVICE_EXTENSIONS = 5,       /* text, separated by blanks */
  PLSYCL_DEVICE_PROFILE = 6,          /* text */
  PLSYCL_DEVICE_BACKEND_VERSION = 7,  /* text */
  PLSYCL_DEVICE_PCI_ADDRESS = 8,      /* text */
  PLSYCL_DEVICE_OPENCL_C_VERSION = 9, /* text */
  /* from here on: uint64_t, one or several */
  PLSYCL_DEVICE_TYPE = 32, /* 1 cpu, 2 gpu, 3 accelerator, 4 custom */
  PLSYCL_DEVICE_VENDOR_ID = 33,
  PLSYCL_DEVICE_MAX_COMPUTE_UNITS = 34,
  PLSYCL_DEVICE_MAX_WORK_GROUP_SIZE = 35,
  PLSYCL_DEVICE_MAX_WORK_ITEM_SIZES = 36, /* three */
  PLSYCL_DEVICE_SUB_GROUP_SIZES = 37,     /* several */
  PLSYCL_DEVICE_GLOBAL_MEM_SIZE = 38,
  PLSYCL_DEVICE_LOCAL_MEM_SIZE = 39,
  PLSYCL_DEVICE_MAX_MEM_ALLOC_SIZE = 40,
  PLSYCL_DEVICE_MAX_CLOCK_FREQUENCY = 41,
  PLSYCL_DEVICE_ADDRESS_BITS = 42,
  PLSYCL_DEVICE_AVAILABLE = 43,
  PLSYCL_DEVICE_MAX_PARAMETER_SIZE = 44,
  PLSYCL_DEVICE_MAX_NUM_SUB_GROUPS = 45,
  PLSYCL_DEVICE_MEM_BASE_ADDR_ALIGN = 46, /* bits */
  PLSYCL_DEVICE_HALF_FP_CONFIG = 47,      /* bits of OpenCL's cl_device_fp_config */
  PLSYCL_DEVICE_SINGLE_FP_CONFIG = 48,
  PLSYCL_DEVICE_DOUBLE_FP_CONFIG = 49,
  PLSYCL_DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE = 50,
  PLSYCL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 51,
  PLSYCL_DEVICE_PREFERRED_WORK_GROUP_MULTIPLE = 52,
  PLSYCL_DEVICE_ATOMIC_ORDERS = 53, /* a bit for each value of sycl::memory_order */
  /* a bit for each value of sycl::memory_scope: of atomic operations, of fences */
  PLSYCL_DEVICE_ATOMIC_SCOPES = 54,
  /* of char, short, int, long, float, double, half */
  PLSYCL_DEVICE_PREFERRED_VECTOR_WIDTHS = 55,
  PLSYCL_DEVICE_NATIVE_VECTOR_WIDTHS = 56,
  /* arguments read and written, samplers; width and height in two dimensions; width, height and
   * depth in three; of a buffer, of an array */
  PLSYCL_DEVICE_IMAGE_LIMITS = 57,
  PLSYCL_DEVICE_MAX_CONSTANT_BUFFER_SIZE = 58,
  PLSYCL_DEVICE_MAX_CONSTANT_ARGS = 59,
  PLSYCL_DEVICE_LOCAL_MEM_TYPE = 60,        /* 0 none, 1 local, 2 global */
  PLSYCL_DEVICE_GLOBAL_MEM_CACHE_TYPE = 61, /* 0 none, 1 read only, 2 read and write */
  PLSYCL_DEVICE_ERROR_CORRECTION = 62,
  PLSYCL_DEVICE_HOST_UNIFIED_MEMORY = 63,
  PLSYCL_DEVICE_PROFILING_TIMER_RESOLUTION = 64, /* nanoseconds */
  PLSYCL_DEVICE_ENDIAN_LITTLE = 65,
  PLSYCL_DEVICE_EXECUTION_CAPABILITIES = 66, /* bits: kernels, the host's functions */
  PLSYCL_DEVICE_PRINTF_BUFFER_SIZE = 67,
  PLSYCL_DEVICE_PREFERRED_INTEROP_USER_SYNC = 68,
  PLSYCL_DEVICE_PARTITION_MAX = 69,
  PLSYCL_DEVICE_PARTITION_PROPERTIES = 70, /* a bit for each sycl::info::partition_property */
  /* a bit for each sycl::info::partition_affinity_domain */
  PLSYCL_DEVICE_PARTITION_DOMAINS = 71,
  PLSYCL_DEVICE_PARTITION_DOMAIN = 72, /* what the units of a part share; 0: not divided by that */
  /* the most work-groups of a launch: along each of three dimensions, the fastest first; in all */
  PLSYCL_DEVICE_MAX_WORK_GROUP_RANGE = 73,
  /* what only devices with the aspect of the question's name answer */
  PLSYCL_DEVICE_ID = 74,
  PLSYCL_DEVICE_UUID = 75, /* sixteen, a byte each */
  PLSYCL_DEVICE_GPU_SLICES = 76,
  PLSYCL_DEVICE_GPU_SUBSLICES_PER_SLICE = 77,
  PLSYCL_DEVICE_GPU_EU_COUNT_PER_SUBSLICE = 78,
  PLSYCL_DEVICE_GPU_EU_COUNT = 79,
  PLSYCL_DEVICE_GPU_EU_SIMD_WIDTH = 80,
  PLSYCL_DEVICE_GPU_HW_THREADS_PER_EU = 81,
  PLSYCL_DEVICE_MEMORY_CLOCK_RATE = 82, /* MHz */
  PLSYCL_DEVICE_MEMORY_BUS_WIDTH = 83,  /* bits */
  PLSYCL_DEVICE_FREE_MEMORY = 84,       /* bytes, now */
  /* Text: a line each, a version as OpenCL packs it, a blank, a name. */
  PLSYCL_DEVICE_OPENCL_C_VERSIONS = 85,
  PLSYCL_DEVICE_OPENCL_C_FEATURES = 86,
  PLSYCL_DEVICE_OPENCL_EXTENSIONS = 87
};

/* Fails, with what was looked for and found as its message, when no device is visible. */
int32_t plsycl_require_device(void);
int32_t plsycl_platform_count(size_t *count);
int32_t plsycl_platform_get(size_t index, plsycl_platform *platform);
/* Writes at most `capacity` bytes and always the whole size. Text has no terminator. */
int32_t plsycl_platform_query(plsycl_platform platform, uint32_t what, void *bytes, size_t capacity,
                              size_t *size);
int32_t plsycl_device_count(plsycl_platform platform, size_t *count);
int32_t plsycl_device_get(plsycl_platform platform, size_t index, plsycl_device *device);
int32_t plsycl_device_platform(plsycl_device device, plsycl_platform *platform);
int32_t plsycl_device_query(plsycl_device device, uint32_t what, void *bytes, size_t capacity,
                            size_t *size);
/* Divides a device: `how` is a sycl::info::partition_property, `values` the units of each part, or
 * those of all parts, or a sycl::info::partition_affinity_domain. Writes at most `capacity` parts
 * and always their number: the same ones each time the device is divided so. */
int32_t plsycl_device_divide(plsycl_device device, uint32_t how, const uint64_t *values,
                             size_t count, plsycl_device *parts, size_t capacity,
                             size_t *part_count);
/* What a device is a part of, and how that was divided; null and 0 for one that is whole. */
int32_t plsycl_device_parent(plsycl_device device, plsycl_device *parent, uint32_t *how);
/* `aspect` is a value of sycl::aspect. */
int32_t plsycl_device_has(plsycl_device device, uint32_t aspect, int32_t *has);
/* What the device can do in another one's memory: 1 is reading and writing it, 2 atomic operations.
 */
int32_t plsycl_device_peer(plsycl_device device, plsycl_device other, uint32_t *can);
/* Lets the device reach another one's memory, or no longer: errc::feature_not_supported where it
 * cannot, errc::invalid where it is so already. */
int32_t plsycl_device_reach_peer(plsycl_device device, plsycl_device other, int32_t may);
/* Whether an image of the program is for the device; also when the program has no images. */
int32_t plsycl_device_has_image(plsycl_device device, int32_t *has);

/* ---- contexts, queues, events ---- */

int32_t plsycl_context_create(const plsycl_device *devices, size_t count, plsycl_context *context);
/* The one that the program has for these devices where it makes none, whichever of its libraries
 * asks. */
int32_t plsycl_context_default(const plsycl_device *devices, size_t count, plsycl_context *context);
void plsycl_context_retain(plsycl_context context);
void plsycl_context_release(plsycl_context context);
/* Whether commands and memory of the device can be had of the context: 0, errc::invalid where it is
 * neither one of the context's nor a part of one, or errc::feature_not_supported where it is a part
 * that the driver's context does not have. */
int32_t plsycl_context_require(plsycl_context context, plsycl_device device);

enum plsycl_queue_property { PLSYCL_QUEUE_IN_ORDER = 1, PLSYCL_QUEUE_PROFILING = 2 };

int32_t plsycl_queue_create(plsycl_context context, plsycl_device device, uint32_t properties,
                            plsycl_queue *queue);
void plsycl_queue_retain(plsycl_queue queue);
void plsycl_queue_release(plsycl_queue queue);
/* Waits for all that was submitted. Failures of commands are not returned here: */
int32_t plsycl_queue_wait(plsycl_queue queue);
/* (whether all of it has ended) */
int32_t plsycl_queue_empty(plsycl_queue queue, int32_t *empty);
/* (the last command of a queue that is in order, with a reference; null where it has had none) */
int32_t plsycl_queue_last(plsycl_queue queue, plsycl_event *event);
/* (has the queue keep no event of its last command, so that who knows one can tell when the program
 * has let go of it) */
int32_t plsycl_queue_let_go(plsycl_queue queue);
/* (where the value of a device global is on the queue's device, which makes it if need be; its
 * object on the host has `size` bytes of initial value) */
int32_t plsycl_device_global_memory(plsycl_queue queue, const void *object, const void *initial,
                                    size_t size, int32_t image_scope, void **memory);
/* takes the oldest failure of a command of this queue that nobody has taken: its errc and, through
 * plsycl_error_message, its reason; 0 when there is none. */
int32_t plsycl_queue_take_error(plsycl_queue queue);

enum plsycl_event_state {
  PLSYCL_EVENT_SUBMITTED = 0,
  PLSYCL_EVENT_RUNNING = 1,
  PLSYCL_EVENT_COMPLETE = 2
};
enum plsycl_profiling {
  PLSYCL_PROFILING_SUBMIT = 0,
  PLSYCL_PROFILING_START = 1,
  PLSYCL_PROFILING_END = 2
};

void plsycl_event_retain(plsycl_event event);
void plsycl_event_release(plsycl_event event);
/* What knows the event without keeping it; the event again, with a reference, or null where it is
 * gone; the end of such knowledge, of which null has none. */
void *plsycl_event_downgrade(plsycl_event event);
plsycl_event plsycl_event_upgrade(const void *known);
void plsycl_event_forget(void *known);
/* What the events of one command have in common, and no others while one of them is there. */
const void *plsycl_event_identity(plsycl_event event);
/* A command that this one comes after for the buffers that they use, with a reference; null behind
 * the last. */
int32_t plsycl_event_follows(plsycl_event event, size_t index, plsycl_event *before);
int32_t plsycl_event_wait(plsycl_event event);
int32_t plsycl_event_state(plsycl_event event, uint32_t *state);
/* Waits for the command: nanoseconds of the device's clock; errc::invalid when the queue does not
 * profile. */
int32_t plsycl_event_profiling(plsycl_event event, uint32_t what, uint64_t *nanoseconds);

/* ---- memory ---- */

/* A buffer of `size` bytes. Its first contents are at `host` when that is not null; with
 * `use_host` the runtime works on that memory itself while the buffer lives. */
int32_t plsycl_memory_create(size_t size, void *host, int32_t use_host, plsycl_memory *memory);
/* With `keep` not 0, what the program's memory of a buffer with `use_host` holds stays there: the
 * runtime works on memory of its own before anything would change it. */
void plsycl_memory_keep_host(plsycl_memory memory, int32_t keep);
/* From now on the runtime has the mutex while anything uses the buffer, or another one with it, and
 * leaves the contents in the program's memory when it gives the mutex back. `try_lock` gives 0 for
 * one that is not free. */
int32_t plsycl_memory_guard(plsycl_memory memory, void *mutex, void (*lock)(void *mutex),
                            int32_t (*try_lock)(void *mutex), void (*unlock)(void *mutex));
/* At the end of a buffer: waits until nothing uses it but what the calling thread has to end, and,
 * where there is no such thing, until the runtime does not have its mutex for it. 1 where the
 * program's memory that the buffer works on has the contents. */
int32_t plsycl_memory_leave(plsycl_memory memory);
/* 1 where a command or an accessor of the host's has used the buffer to write. */
int32_t plsycl_memory_is_written(plsycl_memory memory);
void plsycl_memory_retain(plsycl_memory memory);
void plsycl_memory_release(plsycl_memory memory);

enum plsycl_access {
  PLSYCL_ACCESS_READ = 1,
  PLSYCL_ACCESS_WRITE = 2,
  PLSYCL_ACCESS_NO_INIT = 4,     /* the contents before do not matter */
  PLSYCL_ACCESS_DEVICE = 8,      /* an interop task uses them on the queue's device */
  PLSYCL_ACCESS_PLACEHOLDER = 16 /* by an accessor that was made without a command group */
};

/* Waits until the host may access the buffer's bytes from `begin` to `end` (SIZE_MAX: to the last)
 * and gives the first of all its bytes on the host. Commands that need some of them wait for the
 * matching _host_release. */
int32_t plsycl_memory_host_acquire(plsycl_memory memory, uint32_t access, size_t begin, size_t end,
                                   void **bytes);
void plsycl_memory_host_release(plsycl_memory memory, uint32_t access, size_t begin, size_t end);
/* The buffer's bytes on the host, inside a host task that requires it. */
void *plsycl_memory_host_bytes(plsycl_memory memory);

enum plsycl_usm_kind {
  PLSYCL_USM_HOST = 0,
  PLSYCL_USM_DEVICE = 1,
  PLSYCL_USM_SHARED = 2,
  PLSYCL_USM_UNKNOWN = 3
};
/* `alignment` 0 is the device's own choice. A null pointer on failure of the allocation alone. */
int32_t plsycl_usm_allocate(plsycl_context context, plsycl_device device, uint32_t kind,
                            size_t size, size_t alignment, void **pointer);
int32_t plsycl_usm_free(plsycl_context context, void *pointer);
int32_t plsycl_usm_query(plsycl_context context, const void *pointer, uint32_t *kind,
                         plsycl_device *device);

/* ---- commands ---- */

typedef struct {
  plsycl_memory memory;
  uint32_t access;   /* bits of enum plsycl_access */
  size_t begin, end; /* the bytes that the command uses; SIZE_MAX: to the last */
} plsycl_requirement;

typedef struct {
  const char *name; /* of the specialization constant, as in the image's property set */
  const void *bytes;
  size_t size;
} plsycl_spec_constant;

typedef struct {
  const char *name;
  /* In the code of the program or library that starts the kernel: that one's own kernel of the name
   * is meant, where several have one. Null for not known. */
  const void *origin;
  const void *functor;
  uint64_t functor_size;
  uint32_t dimensions;
  uint64_t global[3];
  uint64_t local[3]; /* all zero: the device's own choice */
  uint64_t offset[3];
  const plsycl_spec_constant *spec_constants; /* values set for this command */
  size_t spec_constant_count;
  /* Where in the functor the pointer to the emulated constants stands; UINT64_MAX: nowhere. */
  uint64_t spec_constant_pointer;
  plsycl_known_kernel known;  /* what the queue told of the kernel; null for nothing */
  const plsycl_image *images; /* of a kernel bundle, which alone may serve the kernel; null: all */
  size_t image_count;
} plsycl_launch;

enum plsycl_command_kind {
  PLSYCL_COMMAND_NONE = 0,
  PLSYCL_COMMAND_KERNEL = 1,
  PLSYCL_COMMAND_COPY = 2,          /* USM or host memory: destination, source, size */
  PLSYCL_COMMAND_FILL = 3,          /* USM: destination, pattern, size */
  PLSYCL_COMMAND_HOST_TASK = 4,     /* callback(argument) */
  PLSYCL_COMMAND_BUFFER_COPY = 5,   /* rows between buffers or host memory */
  PLSYCL_COMMAND_BUFFER_FILL = 6,   /* rows of a buffer with a pattern */
  PLSYCL_COMMAND_BARRIER = 7,       /* later ones wait for all commands so far and the events */
  PLSYCL_COMMAND_BARRIER_AFTER = 8, /* later ones wait for the events alone */
  PLSYCL_COMMAND_INTEROP_TASK = 9,  /* a host task that speaks to the driver itself */
  PLSYCL_COMMAND_FOREIGN_KERNEL = 10
};

/* What a kernel of the driver's own is given for a parameter. */
enum plsycl_argument_kind {
  PLSYCL_ARGUMENT_KEPT = 0,    /* what it was given before */
  PLSYCL_ARGUMENT_MEMORY = 1,  /* a buffer that the command requires, from byte `size` on */
  PLSYCL_ARGUMENT_LOCAL = 2,   /* `size` bytes of local memory */
  PLSYCL_ARGUMENT_POINTER = 3, /* `bytes`, of USM */
  PLSYCL_ARGUMENT_VALUE = 4    /* `size` bytes at `bytes` */
};
typedef struct {
  uint32_t kind; /* enum plsycl_argument_kind */
  plsycl_memory memory;
  const void *bytes; /* for memory and local memory the headers' own */
  size_t size;
} plsycl_argument;

typedef struct {
  plsycl_foreign_kernel kernel;
  uint32_t dimensions;
  uint64_t global[3];
  uint64_t local[3]; /* all zero: the device's own choice */
  uint64_t offset[3];
  const plsycl_argument *arguments; /* in the order of the parameters */
  size_t argument_count;
} plsycl_foreign_launch;

/* A box of bytes in a buffer or, with `memory` null, in host memory at `bytes`: `rows[0]` planes of
 * `rows[1]` rows of `row_size` contiguous bytes. */
typedef struct {
  plsycl_memory memory;
  void *bytes;
  uint64_t first;        /* offset of the first byte */
  uint64_t plane_stride; /* bytes from a plane to the next */
  uint64_t row_stride;   /* bytes from a row to the next */
} plsycl_box;

typedef struct {
  uint32_t kind; /* enum plsycl_command_kind */
  const plsycl_event *events;
  size_t event_count;
  const plsycl_requirement *requirements;
  size_t requirement_count;
  const plsycl_launch *launch;
  void *destination;
  const void *source; /* also the pattern of a fill */
  size_t size;
  size_t pattern_size;
  void (*callback)(void *argument);
  void *argument;
  void *owner; /* of what the command uses while it runs */
  void (*release)(
      void *owner); /* null for none: called once, when the command has ended or fails */
  plsycl_box to;
  plsycl_box from;
  uint64_t rows[2];
  uint64_t row_size;
  const plsycl_foreign_launch *foreign;
} plsycl_command;

/* Waits for no other command; a thread of the runtime runs what the host has to do, when what it
 * comes after has ended. The command's failure while it runs shows in plsycl_queue_take_error. A
 * kernel that the device does not support fails here. */
int32_t plsycl_submit(plsycl_queue queue, const plsycl_command *command, plsycl_event *event);

/* Submits the start of a kernel that uses no buffers, after other commands. */
int32_t plsycl_start(plsycl_queue queue, const plsycl_launch *launch, const plsycl_event *events,
                     size_t event_count, plsycl_event *event);

/* What plsycl_submit would say about the kernel before it starts anything, and what the queue knows
 * of it, with a reference: null where it has not started it yet. `origin` as in plsycl_launch. */
int32_t plsycl_kernel_find(plsycl_queue queue, const char *name, const void *origin,
                           plsycl_known_kernel *known);
void plsycl_known_kernel_retain(plsycl_known_kernel known);
void plsycl_known_kernel_release(plsycl_known_kernel known);
/* Whether some image of the program holds the kernel and fits the device. */
int32_t plsycl_kernel_compatible(const char *name, plsycl_device device, int32_t *compatible);
/* What the device says about the kernel (built for it): work-group size limit, compiled sub-group
 * size, preferred multiple, private memory. */
enum plsycl_kernel_query {
  PLSYCL_KERNEL_WORK_GROUP_SIZE = 1,
  PLSYCL_KERNEL_PREFERRED_MULTIPLE = 2,
  PLSYCL_KERNEL_PRIVATE_MEM_SIZE = 3,
  PLSYCL_KERNEL_MAX_SUB_GROUP_SIZE = 4,
  PLSYCL_KERNEL_MAX_NUM_SUB_GROUPS = 5,
  PLSYCL_KERNEL_COMPILE_SUB_GROUP_SIZE = 6, /* 0: the kernel requires none */
  PLSYCL_KERNEL_COMPILE_NUM_SUB_GROUPS = 7, /* 0: the kernel requires none */
  PLSYCL_KERNEL_NUM_ARGUMENTS = 8,          /* of plsycl_foreign_kernel_query alone */
  /* The work-group size that the kernel requires, in the device's order of dimensions; 0: none. */
  PLSYCL_KERNEL_COMPILE_GROUP_0 = 9,
  PLSYCL_KERNEL_COMPILE_GROUP_1 = 10,
  PLSYCL_KERNEL_COMPILE_GROUP_2 = 11,
  PLSYCL_KERNEL_NUM_REGISTERS = 12 /* of a work-item */
};
/* `origin` is an address in the binary whose kernel is meant, or null where any may be. */
int32_t plsycl_kernel_query(plsycl_context context, plsycl_device device, const char *name,
                            const void *origin, uint32_t what, uint64_t *value);

/* ---- kernels of the program, and the device images that hold them ---- */

enum plsycl_bundle_state {
  PLSYCL_STATE_INPUT = 0,
  PLSYCL_STATE_OBJECT = 1,
  PLSYCL_STATE_EXECUTABLE = 2,
  PLSYCL_STATE_SOURCE = 3 /* of the headers alone */
};

/* What stands for the kernel of the name for as long as the process runs: text, one for each
 * kernel. errc::invalid when no integration header describes the kernel. */
int32_t plsycl_kernel_id(const char *name, const char **id);
/* Those of all kernels of the program: writes at most `capacity` and always their number. */
int32_t plsycl_kernel_ids(const char **ids, size_t capacity, size_t *count);
/* The images that serve kernels on some of the devices, in the state. Writes at most `capacity`,
 * each with a reference of the caller's, and always their number. */
int32_t plsycl_images(const plsycl_device *devices, size_t device_count, uint32_t state,
                      plsycl_image *images, size_t capacity, size_t *count);
void plsycl_image_retain(plsycl_image image);
void plsycl_image_release(plsycl_image image);
/* Whether the device can run the image. */
int32_t plsycl_image_fits(plsycl_image image, plsycl_device device, int32_t *fits);
int32_t plsycl_image_kernels(plsycl_image image, const char **ids, size_t capacity, size_t *count);
enum plsycl_constant_kind {
  PLSYCL_CONSTANT_NONE = 0,     /* the image has no such constant */
  PLSYCL_CONSTANT_EMULATED = 1, /* read from memory */
  PLSYCL_CONSTANT_NATIVE = 2
};
/* Of any constant when `name` is null. */
int32_t plsycl_image_constant(plsycl_image image, const char *name, uint32_t *kind);
/* Builds the image; errc::build with the driver's log when that fails. */
int32_t plsycl_image_build(plsycl_image image, plsycl_context context, plsycl_device device,
                           const plsycl_spec_constant *constants, size_t count);

/* ---- the driver's own handles; they stay the runtime's ---- */

int32_t plsycl_platform_native(plsycl_platform platform, void **native);
/* (one more than the number that CUDA has for a device) */
int32_t plsycl_device_native(plsycl_device device, void **native);
/* (these two with a reference of the caller's own, where the driver counts them) */
int32_t plsycl_context_native(plsycl_context context, void **native);
int32_t plsycl_queue_native_owned(plsycl_queue queue, void **native);
/* (and these; of handles at most `capacity`, each with a reference where there is room for all, and
 * always their number: none for a command that no driver had, one for each context of a buffer) */
int32_t plsycl_event_natives(plsycl_event event, void **natives, size_t capacity, size_t *count);
int32_t plsycl_memory_natives(plsycl_memory memory, uint32_t backend, void **natives,
                              size_t capacity, size_t *count);
int32_t plsycl_kernel_native(plsycl_context context, plsycl_device device, const char *name,
                             const void *origin, void **native);
int32_t plsycl_image_native(plsycl_image image, plsycl_context context, plsycl_device device,
                            const plsycl_spec_constant *constants, size_t count, void **native);
int32_t plsycl_queue_native(plsycl_queue queue, void **native);
int32_t plsycl_queue_native_context(plsycl_queue queue, void **native);
int32_t plsycl_queue_native_device(plsycl_queue queue, void **native);
/* Inside an interop task of the queue that requires the buffer with PLSYCL_ACCESS_DEVICE; of the
 * part of the buffer from byte `origin` on. */
int32_t plsycl_memory_native(plsycl_memory memory, size_t origin, plsycl_queue queue,
                             void **native);

/* ---- the driver's objects that a program made: the runtime keeps a reference of its own ---- */

/* errc::invalid for an object of another context than the one that is given. */
int32_t plsycl_context_adopt(uint32_t backend, void *native, plsycl_context *context);
int32_t plsycl_context_devices(plsycl_context context, plsycl_device *devices, size_t capacity,
                               size_t *count);
/* `properties` are bits of enum plsycl_queue_property. */
int32_t plsycl_queue_adopt(plsycl_context context, void *native, plsycl_queue *queue,
                           plsycl_device *device, uint32_t *properties);
int32_t plsycl_event_adopt(plsycl_context context, void *const *natives, size_t count,
                           plsycl_event *event);
/* `after` may be null. */
int32_t plsycl_memory_adopt(plsycl_context context, void *native, plsycl_event after,
                            plsycl_memory *memory, size_t *size);
/* The pixels of an image, without gaps: how many dimensions, a sycl::image_format, and three sizes,
 * the fastest dimension first. */
int32_t plsycl_memory_adopt_image(plsycl_context context, void *native, plsycl_event after,
                                  plsycl_memory *memory, uint32_t *dimensions, uint32_t *format,
                                  size_t size[3]);
/* Waits for what uses such memory, and leaves the contents in it. */
int32_t plsycl_memory_settle(plsycl_memory memory);
/* `state` of enum plsycl_bundle_state: compiled and linked where that is to come, errc::invalid
 * where it is past. */
int32_t plsycl_program_adopt(plsycl_context context, void *native, uint32_t state,
                             plsycl_program *program);
int32_t plsycl_program_advance(plsycl_program program, const plsycl_device *devices, size_t count,
                               uint32_t state, plsycl_program *next);
int32_t plsycl_program_devices(plsycl_program program, plsycl_device *devices, size_t capacity,
                               size_t *count);
int32_t plsycl_program_native(plsycl_program program, void **native);
void plsycl_program_retain(plsycl_program program);
void plsycl_program_release(plsycl_program program);
enum plsycl_opencl_object {
  PLSYCL_OPENCL_CONTEXT = 0,
  PLSYCL_OPENCL_QUEUE = 1,
  PLSYCL_OPENCL_MEMORY = 2,
  PLSYCL_OPENCL_EVENT = 3,
  PLSYCL_OPENCL_PROGRAM = 4,
  PLSYCL_OPENCL_KERNEL = 5,
  PLSYCL_OPENCL_SAMPLER = 6,
  PLSYCL_OPENCL_DEVICE = 7
};
/* (how often an object of OpenCL's is held) */
int32_t plsycl_opencl_references(uint32_t kind, void *object, uint32_t *count);
int32_t plsycl_foreign_kernel_adopt(plsycl_context context, void *native,
                                    plsycl_foreign_kernel *kernel);
int32_t plsycl_foreign_kernel_program(plsycl_foreign_kernel kernel, plsycl_program *program);
int32_t plsycl_foreign_kernel_native(plsycl_foreign_kernel kernel, void **native);
enum plsycl_foreign_kernel_text {
  PLSYCL_FOREIGN_KERNEL_NAME = 1,
  PLSYCL_FOREIGN_KERNEL_ATTRIBUTES = 2
};
int32_t plsycl_foreign_kernel_text(plsycl_foreign_kernel kernel, uint32_t what, void *bytes,
                                   size_t capacity, size_t *size);
/* `what` of enum plsycl_kernel_query. */
int32_t plsycl_foreign_kernel_query(plsycl_foreign_kernel kernel, plsycl_device device,
                                    uint32_t what, uint64_t *value);
void plsycl_foreign_kernel_retain(plsycl_foreign_kernel kernel);
void plsycl_foreign_kernel_release(plsycl_foreign_kernel kernel);

/* ---- kernels out of sources (sycl_ext_oneapi_kernel_compiler) ---- */

enum plsycl_source_language {
  PLSYCL_SOURCE_OPENCL = 0, /* text */
  PLSYCL_SOURCE_SPIRV = 1,  /* a module */
  PLSYCL_SOURCE_SYCL = 2    /* text */
};
/* Whether kernels for the device can be built from a source in the language. */
int32_t plsycl_device_builds(plsycl_device device, uint32_t language, int32_t *builds);
/* A program that the driver builds, for languages of drivers; errc::build with its log,
 * errc::invalid where it takes no such options. */
int32_t plsycl_program_from_source(plsycl_context context, const plsycl_device *devices,
                                   size_t count, uint32_t language, const void *code, size_t size,
                                   const char *options, plsycl_program *program);
/* What the driver's compiler said of a program. */
int32_t plsycl_program_log(plsycl_program program, void *bytes, size_t capacity, size_t *size);
/* One of its kernels; null where it has none of the name. */
int32_t plsycl_program_kernel(plsycl_program program, const char *name,
                              plsycl_foreign_kernel *kernel);

typedef struct {
  const char *name; /* as #include has it */
  const char *text;
} plsycl_include_file;
typedef struct {
  const char *text;
  const plsycl_include_file *files;
  size_t file_count;
  const char *const *options;
  size_t option_count;
  /* Expressions of C++ that are functions, or addresses of device globals, in the text. */
  const char *const *names;
  size_t name_count;
} plsycl_sycl_source;
/* What this toolchain's compiler makes of a source in SYCL, for such devices. errc::build with what
 * the compiler said, errc::invalid where it is given no such options. */
int32_t plsycl_object_from_source(const plsycl_device *devices, size_t count,
                                  const plsycl_sycl_source *source, plsycl_object *object);
/* What the compiler said of it. */
int32_t plsycl_object_log(plsycl_object object, void *bytes, size_t capacity, size_t *size);
void plsycl_object_retain(plsycl_object object);
void plsycl_object_release(plsycl_object object);
/* A library of objects, and one of a source alone. It is loaded from now on and stays for as long
 * as the process runs, for commands have code in it. */
int32_t plsycl_library_from_objects(const plsycl_object *objects, size_t count,
                                    plsycl_library *library);
int32_t plsycl_library_from_source(const plsycl_device *devices, size_t count,
                                   const plsycl_sycl_source *source, plsycl_library *library);
/* What the compiler said of it. */
int32_t plsycl_library_log(plsycl_library library, void *bytes, size_t capacity, size_t *size);
/* Where it has what it calls so; null where it has none. */
int32_t plsycl_library_symbol(plsycl_library library, const char *name, void **place);
/* Its images that serve kernels on some of the devices, as of plsycl_images. */
int32_t plsycl_library_images(plsycl_library library, const plsycl_device *devices,
                              size_t device_count, plsycl_image *images, size_t capacity,
                              size_t *count);

#ifdef __cplusplus
}
#endif

#endif
