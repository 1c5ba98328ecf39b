import { expect, test } from 'vitest'
import { transformPoints } from '../../src/store/transform_points.ts'
import { describeDrivers } from '../support/drivers.ts'

/** Positions at whole, half and odd degrees, x and y. */
const degrees = Float64Array.from({ length: 2000 }, (_, at) => {
  const most = at % 2 === 0 ? 180 : 85
  const position = Math.floor(at / 2)
  return position < 500
    ? ((position * 37) % (4 * most)) / 2 - most
    : most * Math.sin(position * (1 + (at % 2)))
})

describeDrivers('positions in EPSG:3857', (open) => {
  test('are those of PostGIS, so that a position is found by itself', async () => {
    const database = await open()
    const found = await transformPoints(database, degrees, { from: 4326, to: 3857 })
    const rows = await database.query<{ x: number; y: number }>(
      `select ST_X(p) as x, ST_Y(p) as y
        from (select place, ST_Transform(ST_SetSRID(ST_MakePoint(x, y), 4326), 3857) as p
          from unnest($1::float8[], $2::float8[]) with ordinality as given (x, y, place)) moved
        order by place`,
      [0, 1].map((axis) => [...degrees.filter((_, at) => at % 2 === axis)]),
    )
    expect(found?.filter((_, at) => at % 2 === 0)).toEqual(Float64Array.from(rows, ({ x }) => x))
    const others = rows.filter(({ y }, at) => y !== found?.[2 * at + 1])
    // Libraries round the logarithm of some tangents differently.
    expect(others.length).toBeLessThan(0.05 * rows.length)
    for (const [at, { y }] of rows.entries()) expect(found?.[2 * at + 1]).toBeCloseTo(y, 7)
  })
})
