import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readXml, type XmlElement } from '../../src/style/xml/xml_read.ts'
import type { GalleryData } from './gallery/gallery_data.ts'
import { type MapserverEntry, type ShapeEntry, shapeEntries } from './gallery/mapserver_entries.ts'

/** File of the font that our renderer draws labels with, too. */
const font = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))

/** Definitions of the symbols that styles name without defining them. */
const symbols: Readonly<Record<string, string>> = {
  circle: 'TYPE ELLIPSE POINTS 1 1 END FILLED TRUE',
  rectangle: 'TYPE VECTOR POINTS 0 0 0 1 1 1 1 0 0 0 END FILLED TRUE',
  diamond: 'TYPE VECTOR POINTS 0 0.5 0.5 0 1 0.5 0.5 1 0 0.5 END FILLED TRUE',
  triangle: 'TYPE VECTOR POINTS 0 1 0.5 0 1 1 0 1 END FILLED TRUE',
  star: `TYPE VECTOR POINTS ${starPoints()} END FILLED TRUE`,
  cross: 'TYPE VECTOR POINTS 0 0.5 1 0.5 -99 -99 0.5 0 0.5 1 END',
  xcross: 'TYPE VECTOR POINTS 0 0 1 1 -99 -99 1 0 0 1 END',
  hatch: 'TYPE HATCH',
}

/** A star with five points in a circle of radius 1. */
function starPoints(): string {
  const inner = Math.cos((72 * Math.PI) / 180) / Math.cos((36 * Math.PI) / 180)
  const corners = Array.from({ length: 11 }, (_, at) => {
    const [radius, angle] = [at % 2 === 0 ? 1 : inner, (at * Math.PI) / 5]
    return [1 + radius * Math.sin(angle), 1 - radius * Math.cos(angle)].map((value) => value.toFixed(4))
  })
  return corners.flat().join(' ')
}

/** Writes a style in MapServer XML as a map file of features in a GeoJSON file. */
function writeMapfile({ layer, family }: MapserverEntry, data: string): string {
  const { root, issues } = readXml(`<layer>${layer}</layer>`, 'layer')
  if (root === undefined) throw new Error(issues.map(({ message }) => message).join(', '))
  const definitions = Object.entries(symbols).map(([name, text]) => `SYMBOL NAME "std:${name}" ${text} END`)
  const type = { POINT: 'POINT', LINESTRING: 'LINE', POLYGON: 'POLYGON' }[family]
  return `MAP
FONTSET "fonts.txt" UNITS METERS IMAGETYPE PNG24 IMAGECOLOR 255 255 255 MAXSIZE 4096
${[...definitions, ...shapeEntries.map(defineShape)].join('\n')}
LAYER NAME "layer" TYPE ${type} STATUS ON CONNECTIONTYPE OGR CONNECTION "${data}"
${root.children.map(writeElement).join('\n')}
END
END
`
}

/** Returns the definition of a symbol, as map files have it. */
const defineShape = ({ name, points, isFilled }: ShapeEntry) =>
  `SYMBOL NAME "${name}" TYPE VECTOR POINTS ${points} END FILLED ${isFilled ? 'TRUE' : 'FALSE'} END`

const blocks = new Set(['class', 'style', 'label'])
const strings = new Set(['symbol', 'classitem', 'labelitem', 'font', 'wrap'])

function writeElement({ name, attributes, children, text }: XmlElement): string {
  const keyword = name.toUpperCase()
  if (blocks.has(name)) return `${keyword}\n${children.map(writeElement).join('\n')}\nEND`
  if (name === 'pattern') return `PATTERN ${text} END`
  if (strings.has(name)) return `${keyword} "${text}"`
  return `${keyword} ${attributes.length > 0 ? attributes.map(({ value }) => value).join(' ') : text}`
}

/**
 * Draws a style with MapServer into a PNG file in a folder, which has the data as GeoJSON. Positions on the ground are where our
 * renderer has them: MapServer itself has the extent between the middles of the outer pixels, and draws with the corners.
 */
export async function drawWithMapserver(
  folder: string,
  entry: MapserverEntry,
  { name, box, width, height }: GalleryData,
): Promise<string> {
  const [mapfile, image] = [join(folder, `${entry.name}.map`), `${entry.name}.${name}.mapserver.png`]
  await writeFile(mapfile, writeMapfile(entry, join(folder, `${name}.geojson`)))
  await writeFile(join(folder, 'fonts.txt'), `sans ${font}\n`)
  const pixel = (box[2] - box[0]) / width
  const extent = [box[0], box[3] - (height - 1) * pixel, box[0] + (width - 1) * pixel, box[3]].map(String)
  const size = [String(width), String(height)]
  execFileSync('map2img', ['-m', mapfile, '-o', join(folder, image), '-e', ...extent, '-s', ...size], {
    stdio: 'pipe',
  })
  return image
}
