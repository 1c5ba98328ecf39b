import { expect, test } from 'vitest'
import { deleteOldStatuses } from '../../../src/store/catalog/status_history.ts'
import { describeDrivers } from '../../support/drivers.ts'
import { addGeoservices } from '../../support/geoservices.ts'

describeDrivers('deleteOldStatuses', (open) => {
  test('deletes old records in sets, but never the last one of a service', async () => {
    const database = await open()
    const [busy, quiet] = await addGeoservices(database, [
      { url: 'http://a.example' },
      { url: 'http://b.example' },
    ])
    await database.query(
      `insert into geoservice_status (geoservice_id, check_at, cumulative_status)
       select s, now() at time zone 'utc' - make_interval(days => d), 'works'
         from unnest($1::integer[]) s, generate_series(0, 99) d where s = $2 or d >= 50`,
      [[busy, quiet], busy],
    )
    await database.query(
      `update geoservice s set last_status_id = (
         select id from geoservice_status c where c.geoservice_id = s.id order by check_at desc limit 1)`,
    )
    const sizes: number[] = []
    do sizes.push(await deleteOldStatuses(database, { days: 30, limit: 50 }))
    while (sizes.at(-1) === 50)
    expect(sizes).toEqual([50, 50, 19])
    expect(
      await database.query(
        'select geoservice_id as id, count(*)::integer as count from geoservice_status group by 1 order by 1',
      ),
    ).toEqual([
      { id: busy, count: 30 },
      { id: quiet, count: 1 },
    ])
  })
})
