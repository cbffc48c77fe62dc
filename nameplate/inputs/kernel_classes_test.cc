#include "nameplate/inputs/kernel_classes.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

const KernelClasses& built_in() {
  static const KernelClasses classes = std::move(KernelClasses::built_in()).value();
  return classes;
}

DeviceEventClass class_of(std::string_view name) { return built_in().classify(name).event_class; }

// What each library's kernels do stands in its own documentation; the names are as they occur in public traces.
TEST(KernelClasses, Compute) {
  using enum DeviceEventClass;
  const std::pair<const char*, DeviceEventClass> cases[] = {
      {"nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NNT", matmul},
      {"volta_sgemm_128x32_nt", matmul},
      {"Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT256x128x64", matmul},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1>(Params)", matmul},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float>", matmul},
      {"triton_tem_fused_mm_3", matmul},
      {"fused_moe_kernel", matmul},
      {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x8x512u2_s6_et128x8_m128x8x32_cga1x1x1_16dp256b_rM_TN_transOut_schPd2x1x2x3_"
       "biasM_bN_ldgsts_rgTma_clmp_swiGlu_dynB_sm100f",
       matmul},
      {"void marlin_moe_wna16::Marlin<__nv_bfloat16, 1125899906909960l, 256, 1, 8, 8, false, 4, 8, false>", matmul},
      {"router_gemm_kernel_float_output<__nv_bfloat16, 128, 8, 4>", matmul},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<x, LinCombEltAct<cutlass::epilogue::ReLu> > >",
       matmul},
      {"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnBwdSm90<x> > >", attention},
      {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128> >", attention},
      {"fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)", attention},
      {"attn_fwd", attention},
      {"triton_tem_fused_flex_attention_backward_0", attention},
      {"void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)", convolution},
      {"void implicit_convolve_sgemm<float, float, 1024, 6, 7>", convolution},
      {"volta_scudnn_128x128_stridedB_splitK_small_nn_v1", convolution},
      {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32", convolution},
      {"void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float)", memory_bound},
      {"MIOpenBatchNormFwdTrainSpatial", memory_bound},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >", memory_bound},
      {"triton_poi_fused__scaled_mm__to_copy_clone_0", memory_bound},
      {"triton_per_fused__flash_attn_backward__unsafe_view_mul_10", memory_bound},
      {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false>", memory_bound},
      {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>", optimizer},
      {"void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel<c10::Half>", embedding},
      {"void vllm::moe::topkGatingSoftmax<8, 256, 4>", routing},
      {"fusion.12 (convolution fusion)", matmul},
      {"fusion.3 (loop fusion)", memory_bound},
      {"copy-start.4 (copy-start)", copy},
      {"MemcpyD2H", copy_to_host},
      {"while.2 (while)", other_kernel},
      {"loop_add_fusion", memory_bound},
      {"gemm_fusion_dot_7", matmul},
      {"void tensorflow::functor::FillPhiloxRandomKernelLaunch<tensorflow::random::PhiloxRandom>", memory_bound},
      {"my_own_kernel", unclassified}};
  for (const auto& [name, expected] : cases) EXPECT_EQ(class_of(name), expected) << name;
}

TEST(KernelClasses, CollectivesOldAndNew) {
  struct Case {
    const char* name;
    std::optional<CollectiveKind> kind;
    const char* library;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", CollectiveKind::all_reduce,
            "NCCL"},
           {"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)", CollectiveKind::all_gather, "NCCL"},
           {"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", CollectiveKind::all_reduce, "NCCL"},
           {"ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", CollectiveKind::reduce_scatter, "NCCL"},
           {"ncclDevKernel_Reduce_Sum_f32_RING_LL", CollectiveKind::reduce, "NCCL"},
           {"fusion.9 (all-reduce fusion)", CollectiveKind::all_reduce, "XLA"},
           {"all-gather-start.1 (all-gather)", CollectiveKind::all_gather, "XLA"},
           {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", std::nullopt, "NCCL"},
           {"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", std::nullopt, "NCCL"},
           {"void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>", CollectiveKind::all_reduce, "custom all-reduce"},
           {"void deep_ep::internode_ll::dispatch<true, 7168>", CollectiveKind::all_to_all, "DeepEP"},
           {"mscclpp::allreduce7<float>", CollectiveKind::all_reduce, "MSCCL++"},
           {"ncclSymkDevKernel_ReduceScatter_LL_sum_f32(ncclSymkDevWorkArgs4K)", CollectiveKind::reduce_scatter,
            "NCCL"},
           {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>", CollectiveKind::all_reduce,
            "symmetric memory"},
           {"void userbuffers_fp16_sum_inplace_gpu_rw_ag<2>(int)", CollectiveKind::all_gather, "user buffers"},
           {"all-reduce.12", CollectiveKind::all_reduce, "XLA"}}) {
    const KernelClass found = built_in().classify(c.name);
    EXPECT_EQ(found.event_class, DeviceEventClass::collective) << c.name;
    EXPECT_EQ(found.collective, c.kind) << c.name;
    EXPECT_EQ(found.library, c.library) << c.name;
  }
}

TEST(KernelClasses, CopiesByDirection) {
  EXPECT_EQ(class_of("Memcpy HtoD (Pinned -> Device)"), DeviceEventClass::copy_to_device);
  EXPECT_EQ(class_of("CopyDeviceToHost"), DeviceEventClass::copy_to_host);
  EXPECT_EQ(class_of("Memcpy DtoD (Device -> Device)"), DeviceEventClass::copy);
  EXPECT_EQ(class_of("Memset (Device)"), DeviceEventClass::memset);
}

TEST(KernelClasses, AUsersRulesComeFirst) {
  KernelClasses classes = std::move(KernelClasses::built_in()).value();
  ASSERT_FALSE(
      classes.add("[[rule]]\nclass = \"matmul\"\nregex = \"^my_.*_kernel$\"\n"
                  "[[rule]]\nclass = \"other\"\nstarts = [\"Volta_\"]\ncontains = [\"sgemm\"]\n",
                  "mine.toml"));
  EXPECT_EQ(classes.classify("my_own_kernel").event_class, DeviceEventClass::matmul);
  EXPECT_EQ(classes.classify("volta_sgemm_128x32_nt").event_class, DeviceEventClass::other_kernel);
  EXPECT_EQ(classes.classify("ampere_sgemm_128x32_nt").event_class, DeviceEventClass::matmul);
}

TEST(KernelClasses, AWrongRuleIsLocated) {
  KernelClasses classes;
  const Status unknown = classes.add("[[rule]]\nclass = \"matmull\"\nstarts = [\"x\"]\n", "mine.toml");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->place.line, 2);
  EXPECT_NE(render(*unknown).find("unknown class 'matmull'"), std::string::npos);
  EXPECT_TRUE(classes.add("[[rule]]\nclass = \"matmul\"\n", "mine.toml"));  // would fit every kernel
  EXPECT_TRUE(classes.add("[[rule]]\nclass = \"matmul\"\nregex = \"(\"\n", "mine.toml"));
  EXPECT_TRUE(classes.add("", "mine.toml"));
}

TEST(KernelClasses, CollectivesAsFrameworksWriteThem) {
  EXPECT_EQ(parse_collective("allreduce"), CollectiveKind::all_reduce);
  EXPECT_EQ(parse_collective("_reduce_scatter_base"), CollectiveKind::reduce_scatter);
  EXPECT_EQ(parse_collective("nccl:_all_gather_base"), CollectiveKind::all_gather);
  EXPECT_EQ(parse_collective("all_to_allv"), CollectiveKind::all_to_all);
  EXPECT_EQ(parse_collective("nccl:recv 3->4"), CollectiveKind::receive);
  EXPECT_EQ(parse_collective("wait"), std::nullopt);
}

}  // namespace
}  // namespace nameplate
