import { expect, test } from 'vitest'
import { describeDrivers } from '../support/drivers.ts'

describeDrivers('database', (open) => {
  test('gives rows of a query with bound values', async () => {
    const database = await open()
    expect(await database.query('select $1::int as a, $2::text as b', [1, 'x'])).toEqual([{ a: 1, b: 'x' }])
  })

  test('finds the migrated tables by their bare names, and PostGIS', async () => {
    const database = await open()
    expect(
      await database.query("select count(*)::int as n, st_astext('point(1 2)') as g from resource"),
    ).toEqual([{ n: 0, g: 'POINT(1 2)' }])
  })
})
