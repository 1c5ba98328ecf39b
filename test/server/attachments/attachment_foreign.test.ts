import { expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { openAttachments } from '../../support/attachments.ts'
import { createConnection, createGeodbLayer, useForeign } from '../../support/geodb.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServer } from '../../support/server.ts'

const openForeign = useForeign()

describeServer('features of another database', (start) => {
  test('have no attachments and no description, and refuse them', async () => {
    const { admin } = await start()
    const { execute, connection } = await openForeign()
    const table = 'without_attachments'
    await execute(`drop table if exists ${table}`)
    await execute(`create table ${table} (id serial primary key, geom geometry(Point, 3857))`)
    await execute(`insert into ${table} default values`)
    const id = await createConnection(admin, 'Elsewhere', connection)
    const layer = await createGeodbLayer(admin, { name: 'Foreign', connection: { id }, table })
    const { feature, path, list, extensions } = openAttachments(admin, layer, 1)
    expect(await list()).toEqual([])
    const upload = await uploadContent(admin, 'text')
    const entry = { name: 'a.txt', file_upload: upload }
    for (const [method, at, body] of [
      ['POST', path, entry],
      ['PUT', feature, { extensions: { attachment: [entry] } }],
      ['PUT', feature, { extensions: { description: 'told' } }],
    ] as const) {
      const answer = await admin(method, at, body)
      expect([answer.status, (await answer.json<ErrorBody>()).code]).toEqual([501, 'request/not-built'])
    }
    const none = { description: null, attachment: null }
    expect(await extensions()).toEqual(none)
    expect((await admin('PUT', feature, { extensions: none })).status).toBe(200)
  })
})
