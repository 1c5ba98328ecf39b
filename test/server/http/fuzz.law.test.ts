import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { OpenApi } from '../../../src/contract/openapi/openapi.ts'
import type { Database } from '../../../src/database/database.ts'
import { createEachClass } from '../../support/each_class.ts'
import { useForeign } from '../../support/geodb.ts'
import { listFeatureTables } from '../../support/import.ts'
import { findErrorCode } from '../../support/odd_requests.ts'
import { fillPlaceholders, requestArbitrary } from '../../support/request_arbitrary.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

/** Requests to a server. The drivers have the same SQL: most are made on PostgreSQL, which is quicker. */
const requests: Readonly<Record<Database['driver'], number>> = process.env.LANDFORM_SOAK
  ? { postgres: 20_000, pglite: 20_000 }
  : { postgres: 1500, pglite: 250 }
const seed = 20_261_121
/** Requests from which on a leak is larger than what else varies. */
const leastMeasured = 1000

/** What would end the test itself: passwords and users, and logins, which are slowed down. */
const left = [/^auth\.(login|user_|group_|profile_)/, /^page\.login/, /^token\./]

/** Files and sockets that this process holds, those of its server included. */
const countOpen = () => readdirSync('/proc/self/fd').length

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that this process has in use, those of its server included. */
const countBytes = () => {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
/** What a request may keep for good, at most: caches that fill up are no leak. */
const keptBytes = 5000

const openForeign = useForeign()

describeServers('an arbitrary request', (start, driver) => {
  const numRuns = requests[driver]
  /** Requests after which caches are filled. */
  const warmRuns = numRuns / 3
  let server: TestServer
  beforeAll(async () => {
    server = await start()
  })

  let planted: number | undefined
  /** One resource of each class, with fields in the layer: names are free again once the last ones are gone. */
  const plant = async () => {
    if (planted !== undefined) await server.admin('DELETE', `/api/resource/${planted}`)
    const made = await createEachClass(server.admin, await openForeign())
    planted = made.get('resource_group')
    const fields = [
      { keyname: 'name', datatype: 'STRING' },
      { keyname: 'size', datatype: 'INTEGER' },
      { keyname: 'day', datatype: 'DATE' },
    ]
    await server.admin('PUT', `/api/resource/${made.get('vector_layer')}`, { feature_layer: { fields } })
  }

  /** Tables of features that neither a layer nor a load has. */
  const listOwnerless = async () => {
    const kept = await server.database.query<{ name: string }>(
      'select table_name as name from layer where table_name is not null',
    )
    const { tables, staged } = await listFeatureTables(server.database)
    const owned = new Set([...staged, ...kept.map(({ name }) => name)])
    return tables.filter((name) => !owned.has(name))
  }

  const findStanding = async () => {
    const answer = await server.admin('GET', '/api/resource/search/')
    return (await answer.json<{ resource: { id: number } }[]>()).map(({ resource }) => resource.id)
  }

  test('is executed or refused with a reason, and never causes an internal error', async () => {
    const api = await (await server.guest('GET', '/openapi.json')).json<OpenApi>()
    const openBefore = countOpen()
    let standing: number[] = []
    let count = 0
    let bytesWarm = 0
    await fc.assert(
      fc.asyncProperty(requestArbitrary(api, left), async (request) => {
        // Requests delete, move and rename.
        if (count % 250 === 0) await plant()
        if (count === warmRuns) bytesWarm = countBytes()
        if (count++ % 5 === 0) standing = await findStanding()
        const { method, path, body, operation } = fillPlaceholders(request, standing)
        const answer = await server.admin(method, path, body === undefined ? undefined : JSON.stringify(body))
        const text = await answer.text()
        if (answer.status < 400) return
        const told = `${operation}: ${method} ${path} ${JSON.stringify(body)} → ${answer.status} ${text.slice(0, 300)}`
        expect(text, told).toMatch(/^(\{|<!doctype html>|<\?xml )/)
        const code = findErrorCode(path, text)
        expect(code, told).toMatch(/^[a-z]+\/[a-z-]+$/)
        // What lies elsewhere may be away.
        const away = code.startsWith('external/') ? [502, 503, 504] : []
        expect([400, 403, 404, 405, 409, 412, 413, 416, 422, 501, ...away], told).toContain(answer.status)
      }),
      { numRuns, seed },
    )
    expect((await server.admin('GET', '/readyz')).status).toBe(200)
    expect(readdirSync(join(server.dataFolder, 'temporary'))).toEqual([])
    expect(countOpen()).toBeLessThan(openBefore + 40)
    const keptLimit = keptBytes * (numRuns - warmRuns)
    if (numRuns >= leastMeasured) expect(countBytes() - bytesWarm).toBeLessThan(keptLimit)
    expect(await listOwnerless()).toEqual([])
    expect((await server.admin('GET', '/api/resource/0')).status).toBe(200)
  }, 600_000)
})
