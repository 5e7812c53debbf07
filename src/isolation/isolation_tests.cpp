#include <gtest/gtest.h>

#include "isolation/worker.h"

int main(int argc, char** argv) {
  aesgate::work_if_worker(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
