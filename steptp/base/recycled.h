#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

// The address sanitizer finds uses of freed memory only where memory is really freed.
#if defined(__SANITIZE_ADDRESS__)
#define STEPTP_RECYCLE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STEPTP_RECYCLE 0
#endif
#endif
#ifndef STEPTP_RECYCLE
#define STEPTP_RECYCLE 1
#endif

namespace steptp {

/// Freed blocks of one size, kept by each thread for its next objects. Trees are made and dropped whole, thousands of
/// nodes at a time, which is more than the lists of the standard allocator hold.
template <std::size_t Size>
class FreeBlocks {
 public:
  [[nodiscard]] static void* take() {
    Block* const block = blocks_.first;
    if (!block) return ::operator new(Size);
    blocks_.first = block->next;
    --blocks_.count;
    return block;
  }

  static void give(void* memory) {
    if (blocks_.count >= kMost || blocks_.closed) return ::operator delete(memory);
    // The list itself has no destructor, since every access would then ask whether it was constructed.
    if (!blocks_.first) thread_local const AtThreadExit kEmptied;
    blocks_.first = new (memory) Block{blocks_.first};
    ++blocks_.count;
  }

 private:
  static constexpr std::size_t kMost = 2048;

  struct Block {
    Block* next;
  };
  struct List {
    Block* first;
    std::size_t count;
    bool closed;  ///< what is freed after the thread's objects goes back at once
  };
  struct AtThreadExit {
    AtThreadExit() = default;
    AtThreadExit(const AtThreadExit&) = delete;
    AtThreadExit& operator=(const AtThreadExit&) = delete;
    ~AtThreadExit() {
      blocks_.closed = true;
      while (Block* const block = blocks_.first) {
        blocks_.first = block->next;
        ::operator delete(block);
      }
    }
  };
  static_assert(Size >= sizeof(Block));

  // NOLINTNEXTLINE(readability-identifier-naming): a member, whatever its storage
  static constinit inline thread_local List blocks_{nullptr, 0, false};
};

/// The allocator of make_recycled.
template <typename T>
struct RecyclingAllocator {
  using value_type = T;

  RecyclingAllocator() = default;
  template <typename Other>
  RecyclingAllocator(const RecyclingAllocator<Other>&) {}  // NOLINT(google-explicit-constructor): allocators convert

  [[nodiscard]] T* allocate(std::size_t) { return static_cast<T*>(FreeBlocks<sizeof(T)>::take()); }
  void deallocate(T* memory, std::size_t) { FreeBlocks<sizeof(T)>::give(memory); }
  template <typename Other>
  bool operator==(const RecyclingAllocator<Other>&) const {
    return true;
  }
};

/// std::make_shared for nodes of trees.
template <typename T, typename... Arguments>
[[nodiscard]] std::shared_ptr<T> make_recycled(Arguments&&... arguments) {
#if STEPTP_RECYCLE
  return std::allocate_shared<T>(RecyclingAllocator<std::remove_const_t<T>>(), std::forward<Arguments>(arguments)...);
#else
  return std::make_shared<T>(std::forward<Arguments>(arguments)...);
#endif
}

}  // namespace steptp
