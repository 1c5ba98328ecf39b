import { expect, test } from 'vitest'
import { clipSql, simplifySql } from '../../../src/render/vector_tile/bounded_sql.ts'
import { describeDrivers } from '../../support/drivers.ts'

/** Positions around a centre, alternating between two radii; those of a circle if both are equal. */
const ringSql = (count: number, inner: number, outer: number) =>
  `(select ST_MakePolygon(ST_MakeLine(array_agg(ST_MakePoint(
      (case at % 2 when 0 then ${inner} else ${outer} end) * cos((at % ${count}) * 2 * pi() / ${count}),
      (case at % 2 when 0 then ${inner} else ${outer} end) * sin((at % ${count}) * 2 * pi() / ${count})) order by at)))
    from generate_series(0, ${count}) at)`

const box = 'ST_MakeEnvelope(0, 0, 2000000, 2000000)'

describeDrivers('bounded geometry functions', (open) => {
  test('simplifies and clips a large outline as PostGIS does', async () => {
    const database = await open()
    const [row] = await database.query<{ simplified: boolean; clipped: boolean }>(
      `select ST_AsBinary(${simplifySql('g', '2000::float8')}) = ST_AsBinary(ST_Simplify(g, 2000, true)) as simplified,
          ST_AsBinary(${clipSql('g', box, 'null')}) = ST_AsBinary(ST_ClipByBox2D(g, ${box})) as clipped
        from (select ${ringSql(50_000, 1e6, 1e6)} as g offset 0) circle`,
    )
    expect(row).toEqual({ simplified: true, clipped: true })
  })

  test('simplifies an outline whose positions are further from each other than the tolerance', async () => {
    const database = await open()
    const [row] = await database.query<{ few: boolean; near: boolean }>(
      `select ST_NPoints(s) < 1000 as few, abs(ST_Area(s) / ST_Area(g) - 1) < 1e-4 as near
        from (select g, ${simplifySql('g', '100::float8')} as s from (select ${ringSql(100_000, 3e6, 3e6)} as g offset 0) circle offset 0) both_ways`,
    )
    expect(row).toEqual({ few: true, near: true })
  })

  test('keeps the positions of an outline that zigzags too often to be simplified or clipped', async () => {
    const database = await open()
    const [row] = await database.query<{ simplified: number; clipped: number; missing: boolean }>(
      `select ST_NPoints(${simplifySql('g', '100::float8')}) as simplified,
          ST_NPoints(${clipSql('g', box, 'whole')}) as clipped, ${clipSql('g', box, 'null')} is null as missing
        from (select ${ringSql(400_000, 1e6, 5e6)} as g offset 0) star`,
    )
    expect(row).toEqual({ simplified: 400_001, clipped: 400_001, missing: true })
  })

  test('simplifies dense positions that return again and again within the tolerance', async () => {
    const database = await open()
    const [row] = await database.query<{ positions: number }>(
      `select ST_NPoints(${simplifySql('g', '1::float8')}) as positions from (select ST_MakeLine(array_agg(
          ST_MakePoint(at / 100.0, case when at % 2 = 0 then 0 else 0.4 end) order by at)) as g
        from generate_series(0, 200000) at offset 0) line`,
    )
    expect(row).toEqual({ positions: 2 })
  })
})
