import { describe, expect, test } from 'vitest'
import { drawImage } from '../../../src/render/image/draw_image.ts'
import { placeJobLabels } from '../../../src/render/image/job_labels.ts'
import { createCanvasPen } from '../../../src/render/label/canvas_pen.ts'
import type { LabelFace, PlacedLabel } from '../../../src/render/label/placed_label.ts'
import { jobOf, pointFeatures, styleOf } from '../../support/draw_job.ts'
import { labelsWith } from '../../support/labels.ts'

const pen = createCanvasPen()
const face: LabelFace = { family: 'DejaVu Sans', size: 20, weight: 400, isItalic: false, letterSpacing: 0 }
const check = () => undefined

const label = (text: string, more: Partial<PlacedLabel> = {}): PlacedLabel => {
  const { width, ascent, descent } = pen.measure(text, { ...face, ...more.face })
  const box = [30, 50 - ascent, 30 + width, 50 + descent] as const
  return { runs: [{ text, x: 30, y: 50, angle: 0 }], face, color: '#000000', box, anchor: [30, 50], ...more }
}

/** Draws labels on an image of 240 × 100 pixels; returns the alpha channel, and the number of its pixels that are set. */
function draw(labels: readonly PlacedLabel[], pixelRatio = 1) {
  const job = jobOf(pointFeatures([]), styleOf('marker', []), [240 * pixelRatio, 100 * pixelRatio])
  const { words } = drawImage({ ...job, pixelRatio }, { labels: { placed: labels, pen } })
  return { words, ink: words.reduce((sum, word) => sum + (word >>> 24), 0) / 255 }
}

const isOpaque = (word: number) => word >>> 24 > 128

describe('the pen', () => {
  test('draws every script with letters of its own', () => {
    const texts = [
      'Київ',
      'Αθήνα',
      '北京',
      '서울',
      'القاهرة',
      'ירושלים',
      'दिल्ली',
      'กรุงเทพ',
      'ရန်ကုန်',
      'አዲስ',
      'ភ្នំពេញ',
      'කොළඹ',
    ]
    for (const text of texts) {
      // Letters that a font lacks are drawn as equal boxes; so are those of the private use area.
      const [one, missing] = [draw([label(text)]), draw([label('\u{10fffd}'.repeat([...text].length))])]
      expect(one.ink, text).toBeGreaterThan(20)
      expect(one.words, text).not.toEqual(missing.words)
    }
  })

  const pictureOf = (text: string, more: Partial<LabelFace> = {}) => {
    const { surface } = pen.draw(label(text, { face: { ...face, ...more } }), 1) ?? {}
    return Buffer.from(surface?.bytes ?? []).toString('latin1')
  }

  test('draws Korean syllables of all files, none as the box of letters that a font lacks', () => {
    // Boxes equal each other.
    const first = 0xac00
    const pictures = Array.from({ length: 11_172 / 4 }, (_, at) =>
      pictureOf(String.fromCodePoint(first + 4 * at)),
    )
    expect(new Set(pictures).size).toBe(pictures.length)
    for (const [one, other] of ['고곡', '한국', '광굉', '金李', '⑪⑫'].map((pair) =>
      [...pair].map((letter) => pictureOf(letter)),
    ))
      expect(one).not.toBe(other)
  })

  test('draws all scripts in the weight of Latin letters', () => {
    const inkOf = (text: string, weight: number) => {
      const size = { ...face, size: 40, weight }
      return draw([label(text, { face: size })]).ink / pen.measure(text, size).width
    }
    for (const weight of [400, 700]) {
      const least = 0.6 * inkOf('Tokyo', weight)
      for (const text of ['北京', '서울', 'とう', 'トウ', 'ירוש', 'القا', 'दिल्ली', 'ไทย', 'ကုန်'])
        expect(inkOf(text, weight), `${text} ${weight}`).toBeGreaterThan(least)
    }
  })

  test('joins letters and orders them from right to left', () => {
    const [joined, apart] = ['سلام', 'س ل ا م'].map((text) => pen.measure(text, face).width)
    expect(joined).toBeLessThan(0.75 * (apart ?? 0))
    const [word, reversed] = ['שלום', 'םולש'].map((text) => draw([label(text)]).words)
    expect(word).not.toEqual(reversed)
  })

  test('draws a buffer behind the letters, and a faint one evenly', () => {
    const plain = draw([label('Buffer')])
    const wide = draw([label('Buffer', { buffer: { size: 3, color: '#ffffff' } })])
    expect(wide.ink).toBeGreaterThan(2 * plain.ink)
    const faint = draw([label('WWW', { color: '#00000000', buffer: { size: 3, color: '#ff000080' } })])
    expect(Math.max(...faint.words.map((word) => word >>> 24))).toBe(128)
  })

  test('draws wide buffers without gaps, as far as their size', () => {
    const box = [0, 0, 240, 100] as const
    const words = (text: string, size: number) =>
      draw([label(text, { box, face: { ...face, size: 12 }, buffer: { size, color: '#ff0000' } })]).words
    for (const size of [8, 14, 24])
      for (const text of ['Belgium', 'Wave @&g%', 'Łódź 8']) {
        const drawn = words(text, size)
        // From the first to the last pixel of each row of the small letters.
        const gaps = [44, 45, 46, 47, 48, 49]
          .map((row) => drawn.subarray(row * 240, (row + 1) * 240))
          .map((row) => row.subarray(row.findIndex(isOpaque), row.findLastIndex(isOpaque) + 1))
          .filter((row) => !row.every(isOpaque))
        expect(gaps).toEqual([])
      }
    const columns = (size: number) => {
      const drawn = words('I', size)
      const seen = Array.from({ length: 240 }, (_, x) => x).filter((x) => isOpaque(drawn[50 * 240 + x] ?? 0))
      return seen.length
    }
    expect(columns(20) - columns(10)).toBe(20)
  })

  test('draws letters as dark as they cover pixels, in every colour', () => {
    // Large letters are drawn as outlines.
    const text = 'The quick brown fox'
    const big = pen.draw(label(text, { box: [0, 0, 240, 100] }), 8)?.surface.words ?? new Int32Array()
    const exact = big.reduce((sum, word) => sum + (word >>> 24), 0) / 255 / 8 ** 2
    for (const color of ['#000000', '#ffffff', '#cc2244'] as const) {
      const size = 11
      const { ink } = draw([label(text, { color, face: { ...face, size } })])
      expect(Math.abs(ink / (exact * (size / face.size) ** 2) - 1)).toBeLessThan(0.1)
    }
  })

  test('uses weights and kinds of fonts, and a known one for others', () => {
    const width = (more: Partial<LabelFace>) => pen.measure('Weights', { ...face, ...more }).width
    expect(width({ weight: 700 })).toBeGreaterThan(width({}))
    expect(width({ family: 'Courier New' })).not.toBe(width({}))
    expect(width({ family: 'no such font' })).toBe(width({}))
    expect(width({ size: 40 })).toBeCloseTo(2 * width({}))
    expect(width({ letterSpacing: 2 })).toBeCloseTo(width({}) + 14, 0)
  })

  test('draws twice as large for a pixel ratio of 2', () => {
    const [one, two] = [draw([label('Retina')]), draw([label('Retina')], 2)]
    // Thin lines of small letters are fainter.
    expect(two.ink / one.ink).toBeGreaterThan(3.5)
    expect(two.ink / one.ink).toBeLessThan(5)
  })

  test('draws the parts of a label on adjacent images as on one', () => {
    const at = (x: number, angle: number): PlacedLabel => {
      const one = label('Seam', { buffer: { size: 1, color: '#ffffff' } })
      return { ...one, runs: [{ text: 'Seam', x, y: 50, angle }], box: [x - 70, 0, x + 80, 100] }
    }
    for (const angle of [0, 0.4]) {
      const [left, right] = [draw([at(220.3, angle)]), draw([at(220.3 - 240, angle)])]
      const whole = drawImage(jobOf(pointFeatures([]), styleOf('marker', []), [480, 100]), {
        labels: { placed: [at(220.3, angle)], pen },
      })
      const rows = Array.from({ length: 100 }, (_, row) => [
        ...left.words.subarray(row * 240, (row + 1) * 240),
        ...right.words.subarray(row * 240, (row + 1) * 240),
      ])
      expect(rows.flat()).toEqual([...whole.words])
    }
  })
})

describe('labels of hostile styles', () => {
  const points = pointFeatures([[120, 50]])
  const place = (more: Parameters<typeof labelsWith>[1]) =>
    placeJobLabels(
      jobOf(
        points,
        styleOf('marker', [], { labels: [labelsWith({ kind: 'over', quadrant: [0, 0] }, more)] }),
        [240, 100],
      ),
      { pen, check },
    )
  const font = labelsWith({ kind: 'horizontal' }).font

  test('have bounded sizes and lengths', () => {
    for (const size of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, 1e9])
      expect(draw(place({ text: 'a', font: { ...font, size } })).ink).toBeLessThan(240 * 100)
    expect(place({ text: 'long '.repeat(100_000) })).toEqual([])
    const [wrapped] = place({
      text: 'a'.repeat(30).split('').join(' '),
      wrapLength: 3,
      font: { ...font, size: 4 },
    })
    expect(wrapped?.runs.length).toBe(12)
    expect(place({ text: '\u0000\u202e \n\n' })).toEqual([])
  })

  test('end when the work is stopped', () => {
    const stop = () => {
      throw new Error('stopped')
    }
    const job = jobOf(points, styleOf('marker', [], { labels: [labelsWith({ kind: 'horizontal' })] }))
    expect(() => placeJobLabels(job, { pen, check: stop })).toThrow('stopped')
  })
})
