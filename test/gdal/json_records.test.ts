import { describe, expect, test } from 'vitest'
import { point, readFileAs } from '../support/vector.ts'

const feature = (nr: number, text = '') =>
  JSON.stringify({ type: 'Feature', properties: { nr, text }, geometry: point(nr % 90, 2) })
const [one, two, three] = [feature(1), feature(2), feature(3)] as const
const collection = `{"type":"FeatureCollection","features":[${one},${two}]}`

describe('a sequence of JSON', () => {
  test.each([
    ['whose last feature is cut off', [one, two, three.slice(0, 30)].join('\n'), '2 of 3'],
    ['with a broken line in its middle', [one, '{"type":"Feature",', three].join('\n'), '2 of 3'],
    ['with a line that is no feature', [one, 'null', three].join('\n'), '1 of 3'],
    ['with marks, whose last feature is cut off', `\x1e${one}\n\x1e${two.slice(0, 30)}`, '1 of 2'],
  ])('%s is refused', async (_, text, count) => {
    const reading = readFileAs('a.geojsonl', text, { skipErrors: true })
    await expect(reading).rejects.toMatchObject({
      code: 'source/unreadable',
      message: expect.stringContaining(`breaks off: ${count} features can be read`),
    })
  })

  test.each([
    ['with blank lines', `\r\n${one}\r\n\r\n \r\n${two}\r\n`, 2],
    ['with marks', `\x1e${JSON.stringify(JSON.parse(one), null, 1)}\n\x1e${two}\n`, 2],
    ['of one feature', `${one}\n`, 1],
    ['that is a collection on a line', `${collection}\n\n`, 2],
    ['of more than is looked at at once', `${one}\n${feature(2, 'x'.repeat(3 << 20))}\n${three}`, 3],
    [
      'of many',
      Array.from({ length: 30_000 }, (__, nr) => feature(nr, 'x'.repeat(nr % 90))).join('\n'),
      30_000,
    ],
  ])('%s is read whole', async (_, text, count) => {
    const { summary } = await readFileAs('a.geojsonl', text, { pieceBytes: 1 << 20 })
    expect(summary).toMatchObject({ rowCount: count, badCount: 0 })
  })
})
