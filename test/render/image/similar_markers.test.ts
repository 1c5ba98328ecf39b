import { describe, expect, test } from 'vitest'
import { drawImage } from '../../../src/render/image/draw_image.ts'
import { groupSimilar } from '../../../src/render/image/similar_markers.ts'
import { loadSvgImages } from '../../../src/render/image/svg_images.ts'
import { parseExpression } from '../../../src/style/expression/expression_parse.ts'
import type { SvgMarker } from '../../../src/style/symbol_layer.ts'
import { jobOf, pointFeatures, styleOf } from '../../support/draw_job.ts'

const square =
  '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><path d="M0 0H10V10H0Z"/></svg>'

const marker = (more: Partial<SvgMarker<number>>): SvgMarker<number> => ({
  ...{ kind: 'svg', source: { svg: square }, size: 10, angle: 0, offset: [0, 0], pass: 0, aspectRatio: 0 },
  ...{ fill: '#ff0000', outline: '#00ff00', outlineWidth: 1, anchor: { x: 'center', y: 'center' } },
  ...more,
})

const markers = (count: number, make: (at: number) => Partial<SvgMarker<number>>) =>
  new Map(Array.from({ length: count }, (_, at) => [String(at), marker(make(at))]))

describe('groups of similar markers', () => {
  test('have one marker each where there are few', () => {
    expect(groupSimilar(markers(60, (at) => ({ size: 10 + at / 1000 })))).toHaveLength(60)
  })

  test('have all markers, and the largest of sizes that differ by less than is seen', () => {
    const groups = groupSimilar(markers(2000, (at) => ({ size: 5 + at / 250 })))
    expect(groups.flatMap(({ keys }) => keys)).toHaveLength(2000)
    expect(groups.length).toBeLessThan(60)
    for (const { drawn, keys } of groups)
      for (const key of keys) {
        expect(drawn.size).toBeGreaterThanOrEqual(5 + Number(key) / 250)
        expect(drawn.size).toBeLessThan((5 + Number(key) / 250) * 1.03)
      }
  })

  test('have similar colours where there are too many', () => {
    const hex = (value: number) => (value & 255).toString(16).padStart(2, '0')
    const all = markers(4000, (at) => ({ fill: `#${hex(at >> 4)}${hex(at * 7)}00` }))
    const groups = groupSimilar(all)
    expect(groups.flatMap(({ keys }) => keys)).toHaveLength(4000)
    expect(groups.length).toBeLessThanOrEqual(500)
  })

  test('never mix pictures', () => {
    const groups = groupSimilar(markers(700, (at) => ({ source: { path: `${at}.svg` } })))
    expect(groups).toHaveLength(700)
  })
})

test('markers of more sizes than images are drawn, each in its own size', async () => {
  const count = 600
  const positions = Array.from({ length: count }, (_, at) => [
    (at % 30) * 16 + 8,
    Math.floor(at / 30) * 16 + 8,
  ])
  const features = {
    ...pointFeatures(positions.map(([x = 0, y = 0]) => [x, y] as const)),
    fields: ['v'],
    columns: [positions.map((_, at) => at)],
  }
  const sized: SvgMarker = { ...marker({}), dataDefined: { size: parseExpression('2 + v / 50.0') } }
  const job = jobOf(features, styleOf('marker', [sized]), [480, 320])
  const { words } = drawImage(job, { images: await loadSvgImages(job) })
  const inkOf = (at: number) => {
    const [left, top] = [(at % 30) * 16, Math.floor(at / 30) * 16]
    let ink = 0
    for (let y = top; y < top + 16; y += 1)
      for (let x = left; x < left + 16; x += 1) ink += (words[y * 480 + x] ?? 0) >>> 24
    return ink / 255
  }
  const sides = positions.map((_, at) => Math.sqrt(inkOf(at)))
  expect(sides.map((side, at) => side - (2 + at / 50)).filter((error) => !(Math.abs(error) < 0.75))).toEqual(
    [],
  )
})
