import { expect, test } from 'vitest'
import { statementSeconds } from '../../../src/contract/limits.ts'
import { routeNames, routeOf } from '../../../src/contract/routes.ts'
import { heavyRoutes, measureWaits } from '../../support/heavy_requests.ts'
import { adminPassword, describeServers } from '../../support/server.ts'

test('every route with more time or a larger body than others has a heavy request', () => {
  const isHeavy = (name: (typeof routeNames)[number]) => {
    const { databaseUse = 'query', bodySize = 'medium' } = routeOf(name)
    return databaseUse !== 'query' || ['large', 'streamed'].includes(bodySize)
  }
  expect(routeNames.filter((name) => isHeavy(name) && !heavyRoutes.includes(name))).toEqual([])
})

describeServers('beside every heavy request', (start) => {
  test('others are answered, within the time that a query may take', { timeout: 300_000 }, async () => {
    const { url } = await start()
    const size = { resources: 500, points: 5000, positions: 10_000 }
    const measured = measureWaits({ url, password: adminPassword }, size)
    const waits = await Array.fromAsync(measured)
    expect(waits.map(({ route }) => route)).toEqual(heavyRoutes)
    // A read waits for one statement, which ends at its limit of time.
    for (const { route, longestMs } of waits)
      expect(longestMs, route).toBeLessThan(2000 * statementSeconds.query.pglite)
  })
})
