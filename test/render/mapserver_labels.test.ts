import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { GeometryFamily } from '../../src/contract/geometry.ts'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'
import { type GalleryData, type GalleryFeature, geojsonOf } from '../support/gallery/gallery_data.ts'
import { drawPlate } from '../support/gallery/gallery_job.ts'
import { type RgbImage, readRgb, rgbOf } from '../support/gallery/image_difference.ts'
import { drawWithMapserver } from '../support/mapserver_image.ts'

const folder = mkdtempSync(join(tmpdir(), 'landform-labels-'))
afterAll(() => rmSync(folder, { recursive: true }))

const parts: Readonly<Record<GeometryFamily, GalleryFeature['parts']>> = {
  POINT: [[[[150.5, 80.5]]]],
  LINESTRING: [
    [
      [
        [20.5, 80.5],
        [280.5, 80.5],
      ],
    ],
  ],
  POLYGON: [
    [
      [
        [50.5, 30.5],
        [50.5, 130.5],
        [250.5, 130.5],
        [250.5, 30.5],
        [50.5, 30.5],
      ],
    ],
  ],
} as never

const dataOf = (family: GeometryFamily): GalleryData => ({
  ...{ name: `labelled_${family}`, family, box: [0, 0, 300, 160], width: 300, height: 160 },
  features: [{ parts: parts[family], values: { name: 'Hamburg|x' } }],
})

for (const family of ['POINT', 'LINESTRING', 'POLYGON'] as const)
  writeFileSync(join(folder, `${dataOf(family).name}.geojson`), geojsonOf(dataOf(family)))

/** Returns the box of the dark pixels, which are those of letters: left, top, right and bottom. */
function inkOf({ width, bytes }: RgbImage): readonly number[] {
  const [columns, rows]: [number[], number[]] = [[], []]
  for (let at = 0; at < bytes.length; at += 3) {
    if ([0, 1, 2].some((channel) => (bytes[at + channel] ?? 0) > 128)) continue
    columns.push((at / 3) % width)
    rows.push(Math.floor(at / 3 / width))
  }
  return [Math.min(...columns), Math.min(...rows), Math.max(...columns), Math.max(...rows)]
}

const marker = (size: number) =>
  `<style><symbol>std:rectangle</symbol><size>${size}</size><color red="250" green="160" blue="60"/></style>`

/** A symbol that reaches over the labels beside the first one. */
const outlined = marker(26).replace(
  '</style>',
  '<outlinecolor red="250" green="200" blue="90"/><width>4</width></style>',
)

const positions = ['ul', 'uc', 'ur', 'cl', 'cc', 'cr', 'll', 'lc', 'lr']

interface Case {
  readonly family: GeometryFamily
  readonly label: string
  readonly style?: string
}

const cases: readonly Case[] = [
  ...['6', '7.9', '8', '9', '10', '11', '13', '20', 'tiny', 'small', 'medium', 'large', 'giant'].map(
    (size): Case => ({ family: 'POINT', label: `<size>${size}</size>` }),
  ),
  ...positions.flatMap((position): Case[] => {
    const label = `<size>12</size><position>${position}</position>`
    const moved = `${label}<offset x="7" y="3"/>`
    return [
      { family: 'POINT', label },
      { family: 'POINT', label, style: marker(7) },
      { family: 'POINT', label, style: marker(20) },
      { family: 'POINT', label, style: `${marker(20)}${outlined}` },
      { family: 'POINT', label: moved },
      { family: 'POINT', label: moved, style: marker(14) },
      { family: 'POINT', label: `${label}<offset x="-4" y="-6"/>` },
      { family: 'POINT', label: `${label}<wrap>|</wrap><offset x="2" y="5"/>` },
      { family: 'POINT', label: `${moved}<angle>30</angle>`, style: marker(12) },
      { family: 'POLYGON', label: moved },
      { family: 'LINESTRING', label: moved },
    ]
  }),
  {
    family: 'LINESTRING',
    label: '<size>12</size><angle>auto</angle><position>uc</position><offset x="0" y="3"/>',
  },
  { family: 'LINESTRING', label: '<size>12</size><angle>follow</angle><position>lc</position>' },
  { family: 'LINESTRING', label: '<size>12</size><angle>follow</angle><position>cc</position>' },
]

test.each(cases)(
  'a label of a $family with $label lies where MapServer draws it',
  async ({ family, label, style }) => {
    const full = `<font>sans</font><color red="0" green="0" blue="0"/>${label}`
    const layer = `<labelitem>name</labelitem><class>${style ?? ''}<label>${full}</label></class>`
    const read = readMapserverXml(`<map><layer>${layer}</layer></map>`)
    expect(read.issues).toEqual([])
    const data = dataOf(family)
    const model = styleOfMapserver(read.style ?? { rules: [] }, family)
    const ours = inkOf(rgbOf(await drawPlate({ data, style: model, background: [255, 255, 255] })))
    const entry = { ...{ name: 'label', group: 'labels' }, family, layer }
    const theirs = inkOf(await readRgb(join(folder, await drawWithMapserver(folder, entry, data))))
    // MapServer fits letters to pixels.
    const apart = Math.max(...ours.map((value, at) => Math.abs(value - (theirs[at] ?? Number.NaN))))
    expect(apart, `ours ${ours.join(' ')}, theirs ${theirs.join(' ')}`).toBeLessThanOrEqual(2)
  },
)
