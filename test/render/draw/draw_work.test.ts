import { describe, expect, test } from 'vitest'
import { drawImage } from '../../../src/render/image/draw_image.ts'
import type { DrawJob } from '../../../src/render/image/draw_job.ts'
import { loadSvgImages } from '../../../src/render/image/svg_images.ts'
import type { SvgMarker } from '../../../src/style/symbol_layer.ts'
import { jobOf, pointFeatures, styleOf } from '../../support/draw_job.ts'

/** Draws a job, and returns the work that is counted. */
async function workOf(job: DrawJob): Promise<number> {
  let sum = 0
  const check = (work = 0) => {
    sum += work
  }
  drawImage(job, { images: await loadSvgImages(job, { addWork: check }), check })
  return sum
}

const triangle =
  '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><path d="M0 0L10 10L0 10"/></svg>'
const svgMarker = (size: number): SvgMarker => ({
  ...{ kind: 'svg', source: { svg: triangle }, size, angle: 0, offset: [0, 0], pass: 0, aspectRatio: 0 },
  ...{ fill: '#ff0000', outline: '#00ff00', outlineWidth: 1, anchor: { x: 'center', y: 'center' } },
})
const places = (count: number) =>
  pointFeatures(Array.from({ length: count }, (_, at) => [(at * 37) % 256, (at * 101) % 256] as const))
const markers = (count: number, size: number) =>
  jobOf(places(count), styleOf('marker', [svgMarker(size)]), [512, 512])

describe('the work of SVG markers', () => {
  test('is that of copies where many have a size of 50 mm', async () => {
    const [few, many] = await Promise.all([workOf(markers(64, 189)), workOf(markers(128, 189))])
    // The images of the steps are drawn once.
    expect((many - few) / 64).toBeLessThan(2.2 * 189 * 189)
  })

  test('is that of all of their pixels where they are larger', async () => {
    const [one, two] = await Promise.all([workOf(markers(1, 500)), workOf(markers(2, 500))])
    expect(two - one).toBeGreaterThan(8 * 256 * 256)
  })
})
