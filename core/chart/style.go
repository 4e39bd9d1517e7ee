package chart

// Palette: blue, vermilion, green, purple, ochre, grey and six more, after
// Okabe and Ito (Color Universal Design, 2008), darkened on light ground and
// lightened on dark until each stands out by 3:1. Twelve with eight markers: what has
// the colour of another has another marker. Everything that has a colour
// takes it from the class of its series through currentColor, which renderers
// without CSS variables understand too.

// CSS is the style of all charts. A page that shows fragments includes it once.
const CSS = `.lc{font-family:"Helvetica Neue",Helvetica,Arial,"Liberation Sans","DejaVu Sans",sans-serif;font-size:12px}
.lc text{fill:#1f2933}.lc .bg{fill:#fff}.lc .halo{stroke:#fff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.lc .title{font-size:17px;font-weight:600}.lc .sub{font-size:12.5px;fill:#52606d}.lc .ax{font-size:12px;fill:#323f4b}
.lc .tick{font-size:11.5px;fill:#52606d}.lc .src{font-size:10.5px;fill:#66727f}.lc .mark{font-size:11px;fill:#323f4b}
.lc .said-text{fill:currentColor;font-weight:600}.lc .val{font-size:12px;font-weight:600}.lc .name{font-size:12.5px}
.lc .grid{stroke:#e4e7eb;stroke-width:1;fill:none}.lc .base{stroke:#7b8794;stroke-width:1;fill:none}
.lc .line{stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round}
.lc .ref{stroke:currentColor;stroke-width:1.4;fill:none;stroke-dasharray:5 4}
.lc .band{fill:currentColor;fill-opacity:.15;stroke:none}.lc .whisk{stroke:currentColor;stroke-width:1.2;fill:none}
.lc .full{fill:currentColor;stroke:currentColor;stroke-width:1.4}.lc .open{fill:#fff;stroke:currentColor;stroke-width:1.8}
.lc .lead{stroke:#9aa5b1;stroke-width:.8;fill:none}.lc .ring{fill:none;stroke:currentColor;stroke-width:1.5}
.lc .bar0{fill:currentColor;fill-opacity:.92}.lc .bar1{fill:currentColor;fill-opacity:.22;stroke:currentColor;stroke-width:1.5}
.lc .err{stroke:#323f4b;stroke-width:1.2;fill:none}.lc .said{stroke:#1f2933;stroke-width:2;fill:none;stroke-dasharray:4 3}
.lc .k0{color:#0072b2}.lc .k1{color:#c44e00}.lc .k2{color:#00805c}.lc .k3{color:#9c4a86}.lc .k4{color:#a97400}.lc .k5{color:#626d79}.lc .k6{color:#3d3fa8}.lc .k7{color:#a3203e}.lc .k8{color:#007c8a}.lc .k9{color:#7a4b2a}.lc .k10{color:#5b7300}.lc .k11{color:#c2188f}.lc .kx{color:#323f4b}
@media(prefers-color-scheme:dark){.lc text{fill:#e4e7eb}.lc .bg{fill:#14181d}.lc .halo{stroke:#14181d}
.lc .sub,.lc .tick{fill:#a7b3bf}.lc .ax,.lc .mark{fill:#cbd2d9}.lc .said-text{fill:currentColor}.lc .src{fill:#8d99a6}
.lc .grid{stroke:#2a313a}.lc .base{stroke:#7b8794}.lc .lead{stroke:#66727f}.lc .open{fill:#14181d}.lc .err{stroke:#cbd2d9}.lc .said{stroke:#f5f7fa}
.lc .k0{color:#5ab1ef}.lc .k1{color:#ff8f57}.lc .k2{color:#3ccb9f}.lc .k3{color:#d99bc6}.lc .k4{color:#e8b53c}.lc .k5{color:#a7b3bf}.lc .k6{color:#a6a8ff}.lc .k7{color:#ff8fa3}.lc .k8{color:#4fd0dd}.lc .k9{color:#d6a582}.lc .k10{color:#b5d04a}.lc .k11{color:#ff86d8}.lc .kx{color:#cbd2d9}}
`

const palette = 12

// The size of everything. A chart is 720 wide, which is also the width at
// which it must be readable.
const (
	width      = 720.0
	edge       = 18.0 // free on all sides
	titleSize  = 17.0
	subSize    = 12.5
	axisSize   = 12.0
	tickSize   = 11.5
	sourceSize = 10.5
	nameSize   = 12.5
	markSize   = 11.0
	valueSize  = 12.0
	plotHeight = 270.0
)
