// The style sheet of the page. Colours are custom properties, set once for light and once for dark; print is light.
#pragma once

#include <string_view>

namespace nameplate {

inline constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--paper:#fbfbf9;--card:#fff;--ink:#1b1f24;--soft:#5b6470;--rule:#dfe2e6;
--accent:#0b6e99;--model:#2f855a;--kernel:#5a9bd4;--comm:#e08a2e;--wait:#c9a227;--fault:#c2453d;--idle:#9aa3ad;
--s0:#0b6e99;--s1:#c2453d;--s2:#2f855a;--s3:#8a5fb0;--s4:#c07a1a}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1b1f24;--ink:#e6e8ea;--soft:#9aa4af;--rule:#30363d;
--accent:#5cb8e0;--model:#4fb383;--kernel:#6fa8dc;--comm:#eda34f;--wait:#d9b944;--fault:#e5706a;--idle:#6d7681;
--s0:#5cb8e0;--s1:#e5706a;--s2:#4fb383;--s3:#b48ad6;--s4:#e0a04a}}
@media print{:root{color-scheme:light;--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--rule:#bbb;--accent:#0b6e99;
--model:#2f855a;--kernel:#5a9bd4;--comm:#e08a2e;--wait:#c9a227;--fault:#c2453d;--idle:#9aa3ad;
--s0:#0b6e99;--s1:#c2453d;--s2:#2f855a;--s3:#8a5fb0;--s4:#c07a1a}
body{font-size:10pt}section,figure,.tile{break-inside:avoid}.tall{max-height:none}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1080px;margin:0 auto;padding:24px 20px 48px}
.brand{margin:0;color:var(--soft);font-size:12px;letter-spacing:.08em;text-transform:uppercase}
h1{margin:.15em 0 .35em;font-size:25px;line-height:1.25;font-weight:650;overflow-wrap:anywhere}
h2{margin:0 0 10px;font-size:16px;font-weight:650}
h2 small{margin-left:.6em;color:var(--soft);font-weight:400}
p{margin:.3em 0;max-width:78ch;overflow-wrap:anywhere}
section{margin-top:22px;padding:16px 18px;background:var(--card);border:1px solid var(--rule);border-radius:8px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:12px;margin-top:20px}
.tile{padding:12px 16px;background:var(--card);border:1px solid var(--rule);border-radius:8px}
.tile:first-child{border-left:4px solid var(--model)}
.tile span{display:block;color:var(--soft);font-size:12.5px}
.tile b{font-size:26px;line-height:1.25;font-weight:650;font-variant-numeric:tabular-nums}
.tile b+i{margin-left:.25em;font-style:normal;color:var(--soft)}
.scroll{overflow-x:auto}
.tall{overflow-y:auto;max-height:560px}
table{border-collapse:collapse;width:100%;font-size:13.5px;font-variant-numeric:tabular-nums}
th,td{padding:4px 10px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
th:last-child,td:last-child{padding-right:0}
thead th{position:sticky;top:0;background:var(--card);color:var(--soft);font-weight:500;vertical-align:bottom}
thead small{display:block;font-size:11.5px}
tbody th{font-weight:400}
tfoot th,tfoot td{border-bottom:0;border-top:2px solid var(--ink);font-weight:650}
.n{text-align:right;white-space:nowrap}
.u{color:var(--soft);white-space:nowrap}
.soft,.note{color:var(--soft);font-size:12.5px}
.note{margin:8px 0 0}
.bar{width:26%;min-width:90px}
.bar div{height:14px;margin-top:3px;border-radius:2px}
figure{margin:18px 0 0}
figcaption{margin-top:4px;color:var(--soft);font-size:13px}
svg{display:block;width:100%;min-width:540px;max-width:820px;margin:0 auto;height:auto;font-size:12px}
svg text{fill:var(--ink)}
.grid{stroke:var(--rule);fill:none}
.line{fill:none;stroke-width:1.4;stroke-linejoin:round;stroke-linecap:round}
.dots{fill:none;stroke-width:5;stroke-linecap:round;stroke-opacity:.55}
path.s0{stroke:var(--s0)}path.s1{stroke:var(--s1)}path.s2{stroke:var(--s2)}path.s3{stroke:var(--s3)}path.s4{stroke:var(--s4)}
rect.s0{fill:var(--s0)}rect.s1{fill:var(--s1)}rect.s2{fill:var(--s2)}rect.s3{fill:var(--s3)}rect.s4{fill:var(--s4)}
.c-total{fill:var(--soft)}
.c-model{fill:var(--model);background:var(--model)}.c-kernel{fill:var(--kernel);background:var(--kernel)}
.c-comm{fill:var(--comm);background:var(--comm)}.c-wait{fill:var(--wait);background:var(--wait)}
.c-fault{fill:var(--fault);background:var(--fault)}.c-idle{fill:var(--idle);background:var(--idle)}
ol,ul{margin:0;padding-left:1.4em}
li{margin:.35em 0;overflow-wrap:anywhere}
li>p:first-child{margin-top:0}
code{font:12.5px/1.4 ui-monospace,"SFMono-Regular",Menlo,Consolas,monospace;overflow-wrap:anywhere}
.worth{font-weight:650}
.d-error{color:var(--fault);font-weight:650}.d-data_loss{color:var(--comm);font-weight:650}
footer{margin-top:24px;color:var(--soft);font-size:12.5px}
@media (max-width:560px){main{padding:14px 10px 32px}section{padding:12px}h1{font-size:20px}.tile b{font-size:21px}
.tiles{grid-template-columns:1fr 1fr;gap:8px}.tile{padding:9px 11px}}
)css";

}  // namespace nameplate
