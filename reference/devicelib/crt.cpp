//===- crt.cpp - memory, strings and assertions ---------------------------------------------===//

#include "device.h"

#define NAME(FUNCTION) FUNCTION
#include "memory.inc"

DEVICE_API void *memmove(void *to, const void *from, size_type count) {
  auto *target = static_cast<unsigned char *>(to);
  const auto *source = static_cast<const unsigned char *>(from);
  if (target <= source)
    return memcpy(to, from, count);
  for (size_type i = count; i > 0; --i)
    target[i - 1] = source[i - 1];
  return to;
}

DEVICE_API void *memchr(const void *in, int value, size_type count) {
  const auto *bytes = static_cast<const unsigned char *>(in);
  for (size_type i = 0; i < count; ++i)
    if (bytes[i] == static_cast<unsigned char>(value))
      return const_cast<unsigned char *>(bytes + i);
  return nullptr;
}

DEVICE_API size_type strlen(const char *text) {
  size_type length = 0;
  while (text[length] != 0)
    ++length;
  return length;
}

DEVICE_API int strncmp(const char *left, const char *right, size_type count) {
  for (size_type i = 0; i < count; ++i) {
    const auto a = static_cast<unsigned char>(left[i]);
    const auto b = static_cast<unsigned char>(right[i]);
    if (a != b || a == 0)
      return a - b;
  }
  return 0;
}

DEVICE_API int strcmp(const char *left, const char *right) {
  return strncmp(left, right, ~size_type(0));
}

DEVICE_API char *strcpy(char *to, const char *from) {
  memcpy(to, from, strlen(from) + 1);
  return to;
}

DEVICE_API char *strncpy(char *to, const char *from, size_type count) {
  size_type i = 0;
  for (; i < count && from[i] != 0; ++i)
    to[i] = from[i];
  for (; i < count; ++i)
    to[i] = 0;
  return to;
}

DEVICE_API char *strchr(const char *text, int value) {
  for (;; ++text) {
    if (*text == static_cast<char>(value))
      return const_cast<char *>(text);
    if (*text == 0)
      return nullptr;
  }
}

DEVICE_API char *strrchr(const char *text, int value) {
  for (size_type i = strlen(text) + 1; i > 0; --i)
    if (text[i - 1] == static_cast<char>(value))
      return const_cast<char *>(text + i - 1);
  return nullptr;
}

DEVICE_API char *strcat(char *to, const char *from) {
  strcpy(to + strlen(to), from);
  return to;
}

DEVICE_API char *strncat(char *to, const char *from, size_type count) {
  char *end = to + strlen(to);
  for (; count > 0 && *from != 0; --count)
    *end++ = *from++;
  *end = 0;
  return to;
}

DEVICE_API size_type strspn(const char *text, const char *of) {
  size_type length = 0;
  while (text[length] != 0 && strchr(of, text[length]) != nullptr)
    ++length;
  return length;
}

DEVICE_API size_type strcspn(const char *text, const char *none_of) {
  size_type length = 0;
  while (text[length] != 0 && strchr(none_of, text[length]) == nullptr)
    ++length;
  return length;
}

DEVICE_API char *strpbrk(const char *text, const char *any_of) {
  text += strcspn(text, any_of);
  return *text != 0 ? const_cast<char *>(text) : nullptr;
}

DEVICE_API char *strstr(const char *text, const char *part) {
  const size_type length = strlen(part);
  for (;; ++text) {
    if (strncmp(text, part, length) == 0)
      return const_cast<char *>(text);
    if (*text == 0)
      return nullptr;
  }
}

// Assertions end in a function that some device compilers bring themselves, under the name that
// DPC++ gave it: it prints on standard error and aborts. For the others there is fallback-cassert.

#ifdef __NVPTX__
/// Of the CUDA driver: it prints, and the launch ends with an error.
extern "C" void __assertfail(const char *condition, const char *file, unsigned line,
                             const char *function, size_type character_size);

namespace {
void fail(const char *condition, const char *file, int line, const char *function) {
  __assertfail(condition, file, static_cast<unsigned>(line), function, sizeof(char));
}
} // namespace
#else
size_type __spirv_BuiltInGlobalInvocationId(int);
size_type __spirv_BuiltInLocalInvocationId(int);

namespace {
void fail(const char *condition, const char *file, int line, const char *function) {
  __devicelib_assert_fail(condition, file, line, function, __spirv_BuiltInGlobalInvocationId(0),
                          __spirv_BuiltInGlobalInvocationId(1),
                          __spirv_BuiltInGlobalInvocationId(2), __spirv_BuiltInLocalInvocationId(0),
                          __spirv_BuiltInLocalInvocationId(1), __spirv_BuiltInLocalInvocationId(2));
}
} // namespace
#endif

/// What the C library's `assert` calls.
DEVICE_API void __assert_fail(const char *condition, const char *file, unsigned line,
                              const char *function) {
  fail(condition, file, static_cast<int>(line), function);
}

/// What the assertions of libstdc++ call.
__attribute__((used)) void
glibcxx_assert_fail(const char *file, int line, const char *function,
                    const char *condition) __asm__("_ZSt21__glibcxx_assert_failPKciS0_S0_");
void glibcxx_assert_fail(const char *file, int line, const char *function, const char *condition) {
  fail(condition, file, line, function);
}

// No device ends a program by itself. What ends one is a failed assertion, on every device, and its
// text says which work-item it was.

DEVICE_API void abort() { fail("abort() is not called", "device code", 0, "abort"); }

/// What the front end makes of `__builtin_trap`, for which SPIR-V has no instruction.
DEVICE_API void __devicelib_trap() {
  fail("__builtin_trap() is not reached", "device code", 0, "__builtin_trap");
}
