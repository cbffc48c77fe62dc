#include "nameplate/core/file_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <fstream>
#include <vector>

namespace nameplate {
namespace {

// The reference compressors: zlib for gzip, libzstd for zstd.
std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);  // as the zstd program does
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

std::vector<std::string> lines_of(LineReader& reader) {
  std::vector<std::string> lines;
  while (auto line = reader.next()) lines.emplace_back(*line);
  return lines;
}

std::vector<std::string> lines_of(std::string_view text) {
  LineReader reader = LineReader::from_memory(text);
  return lines_of(reader);
}

using Lines = std::vector<std::string>;

// Several blocks of varied lines.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "iteration " + std::to_string(i * 7919 % 100003) + " loss 2.5\n";
  return text;
}

TEST(LineReader, EndsOfLines) {
  EXPECT_EQ(lines_of("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\n\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\r\nb\r\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
  EXPECT_EQ(lines_of(std::string_view("a\0b\n\0", 5)), (Lines{std::string("a\0b", 3), std::string("\0", 1)}));
}

TEST(LineReader, OverwrittenTextIsDropped) {
  EXPECT_EQ(lines_of(" 1%|#\r 2%|##\rdone\n"), Lines{"done"});
  EXPECT_EQ(lines_of(" 1%|#\r 2%|##\r\n"), Lines{" 2%|##"});
  EXPECT_EQ(lines_of("a\rb\r\r\r\nc"), (Lines{"b", "c"}));
  EXPECT_EQ(lines_of("\r\r\n"), Lines{""});
}

TEST(LineReader, ShowsWhatCarriageReturnsHid) {
  LineReader reader = LineReader::from_memory(" 1%|#\r 2%|##\rdone\nplain\n");
  ASSERT_EQ(reader.next(), "done");
  EXPECT_EQ(reader.overwritten(), " 1%|#\r 2%|##\r");
  ASSERT_EQ(reader.next(), "plain");
  EXPECT_EQ(reader.overwritten(), "");
}

TEST(LineReader, CountsLinesAndBytes) {
  LineReader reader = LineReader::from_memory("one\ntwo\nthr");
  EXPECT_EQ(reader.line_number(), 0);
  reader.next();
  EXPECT_EQ(reader.line_number(), 1);
  EXPECT_FALSE(reader.last_line_incomplete());
  reader.next();
  EXPECT_EQ(reader.next(), "thr");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.line_number(), 3);
  EXPECT_EQ(reader.bytes_read(), 11);
  EXPECT_TRUE(reader.last_line_incomplete());
}

TEST(LineReader, OverlongLineIsCutAndCounted) {
  std::string text = "a\n" + std::string(5 * kMaxLineBytes, 'x') + "\nb\n" + std::string(kMaxLineBytes, 'y') + "\nc\n" +
                     std::string(kMaxLineBytes + 1, 'z');
  LineReader reader = LineReader::from_memory(text);
  Lines lines = lines_of(reader);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[1], std::string(kMaxLineBytes, 'x'));
  EXPECT_EQ(lines[2], "b");
  EXPECT_EQ(lines[3], std::string(kMaxLineBytes, 'y'));
  EXPECT_EQ(lines[4], "c");
  EXPECT_EQ(lines[5].size(), kMaxLineBytes);
  EXPECT_EQ(reader.overlong_lines(), 2);
  EXPECT_EQ(reader.line_number(), 6);
  EXPECT_TRUE(reader.last_line_incomplete());
}

TEST(LineReader, EndlessProgressBarKeepsItsLastDrawing) {
  std::string text = "start\n";
  for (int i = 0; i <= 100000; ++i) text += "\r" + std::to_string(i) + "/100000 [#########################>    ]";
  text += "\nend\n";
  ASSERT_GT(text.size(), 3 * kMaxLineBytes);
  LineReader reader = LineReader::from_memory(text);
  EXPECT_EQ(lines_of(reader), (Lines{"start", "100000/100000 [#########################>    ]", "end"}));
  EXPECT_EQ(reader.overlong_lines(), 0);
}

TEST(LineReader, LinesAcrossBlocksAreWhole) {
  std::string text = long_text();
  std::string again;
  LineReader reader = LineReader::from_memory(text);
  while (auto line = reader.next()) again.append(*line) += '\n';
  EXPECT_TRUE(again == text);
}

TEST(LineReader, CompressedByContent) {
  std::string text = long_text();
  std::string half = text.substr(text.size() / 2);
  Lines expected = lines_of(text + half);
  // Members and frames that follow one another are one text (RFC 1952 2.2, RFC 8878 3.1).
  for (const std::string& packed : {gzip(text) + gzip(half), zstd(text) + zstd(half)}) {
    LineReader reader = LineReader::from_memory(packed);
    EXPECT_TRUE(lines_of(reader) == expected);
    EXPECT_FALSE(reader.error());
    EXPECT_FALSE(reader.last_line_incomplete());
  }
  EXPECT_EQ(lines_of(gzip("")), Lines{});
  EXPECT_EQ(lines_of(zstd("")), Lines{});
  EXPECT_EQ(lines_of(gzip("a\n") + std::string(1000, '\0')), Lines{"a"});
}

TEST(LineReader, TruncatedStreamGivesItsLinesThenAnError) {
  std::string text = long_text();
  Lines expected = lines_of(text);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    LineReader reader = LineReader::from_memory(std::string_view(packed).substr(0, packed.size() / 2), "train.log");
    Lines lines = lines_of(reader);
    ASSERT_GT(lines.size(), 1000u);
    ASSERT_TRUE(reader.error());
    EXPECT_EQ(reader.error()->place.file, "train.log");
    EXPECT_EQ(reader.error()->found.substr(0, 9), "truncated");
    lines.pop_back();  // cut somewhere inside
    EXPECT_TRUE(std::equal(lines.begin(), lines.end(), expected.begin()));
  }
}

TEST(LineReader, CorruptStreamIsAnError) {
  for (std::string packed : {gzip(long_text()), zstd(long_text())}) {
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 64; ++i) packed[i] = '\x55';
    LineReader reader = LineReader::from_memory(packed);
    lines_of(reader);
    EXPECT_TRUE(reader.error());
  }
  LineReader reader = LineReader::from_memory("\x1f\x8b");
  lines_of(reader);
  EXPECT_TRUE(reader.error());
  std::string followed = gzip("a\n") + "garbage";
  LineReader trailing = LineReader::from_memory(followed);
  EXPECT_EQ(lines_of(trailing), Lines{"a"});
  EXPECT_TRUE(trailing.error());
}

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content) {
    int descriptor = ::mkstemp(path_.data());
    ::close(descriptor);
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = ::testing::TempDir() + "nameplate_XXXXXX";
};

TEST(Files, WholeHeadAndErrors) {
  TemporaryFile file(gzip("0123456789"));
  EXPECT_EQ(read_file(file.path()).value(), "0123456789");
  EXPECT_EQ(read_head(file.path(), 4).value(), "0123");
  EXPECT_FALSE(read_file(file.path(), 9));
  EXPECT_TRUE(file_exists(file.path()));
  EXPECT_FALSE(is_directory(file.path()));
  EXPECT_TRUE(is_directory(::testing::TempDir()));
  EXPECT_EQ(LineReader::open(::testing::TempDir()).error().found, "is a folder");
  EXPECT_EQ(read_file("/nonexistent/file").error().place.file, "/nonexistent/file");
  std::string packed = gzip(long_text());
  TemporaryFile truncated(packed.substr(0, packed.size() / 2));
  EXPECT_FALSE(read_file(truncated.path()));
  EXPECT_EQ(read_head(truncated.path(), 9).value(), "iteration");
}

// A growing log on standard input: each line is handed out before the next one is written.
TEST(LineReader, FollowsAPipeLineByLine) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  LineReader reader = LineReader::open("-").value();
  for (std::string line : {"a", "step 1", "step 2"}) {
    ASSERT_EQ(::write(ends[1], (line + "\n").data(), line.size() + 1), static_cast<ssize_t>(line.size() + 1));
    EXPECT_EQ(reader.next(), line);
  }
  ::close(ends[1]);
  EXPECT_FALSE(reader.next());
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(ends[0]);
}

}  // namespace
}  // namespace nameplate
