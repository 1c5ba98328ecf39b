import { expect, test } from 'vitest'
import { featureRoutes } from '../../../src/contract/routes/feature.ts'
import { identifyRoutes } from '../../../src/contract/routes/identify.ts'
import { openAttachments } from '../../support/attachments.ts'
import { createGroup, rule } from '../../support/resources.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'

/** What stands in the layer and nowhere else: values, place, description, names of files. */
const secrets = /Topsecret|4242|12\.34|1373|5699|"total_count"|"min(Lat|Lon)":\s*\d/
const place = 'POINT (1373000 5699000)'
const box = 'POLYGON ((0 0,9000000 0,9000000 9000000,0 9000000,0 0))'

/** A layer that a user may see with all that is said of it, but its data. */
async function plantSecret(server: TestServer) {
  const { admin, database } = server
  const user = await createUser(database, 'onlooker')
  const seen = ['resource.read', 'metadata.read', 'datastruct.read'] as const
  const mine = [...seen.map((name) => rule(`allow ${name}`, user))]
  const root = await (await admin('GET', '/api/resource/0')).json<{ resource: { permissions: object[] } }>()
  const permissions = [...root.resource.permissions, rule('allow resource.read', user, { propagate: false })]
  await admin('PUT', '/api/resource/0', { resource: { permissions } })
  const parent = await createGroup(admin, 0, { display_name: 'Seen', permissions: mine })
  const fields = [
    { keyname: 'name', datatype: 'STRING' },
    { keyname: 'size', datatype: 'INTEGER' },
  ]
  const id = await createLayer(admin, { name: 'Closed', geometryType: 'POINT', parent, fields })
  const feature = {
    geom: place,
    fields: { name: 'Topsecret', size: 4242 },
    extensions: { description: 'Topsecret' },
  }
  await admin('POST', `/api/resource/${id}/feature/`, feature)
  await openAttachments(admin, id, 1).attach('Topsecret', { name: 'Topsecret.txt' })
  return { id, parent, ask: server.as('onlooker', userPassword) }
}

/** A random name of the request might hold the digits of a secret. */
const named = { 'x-request-id': 'looks-around' }

type Request = readonly [method: string, path: string, body?: unknown]

/** Every operation on the features of a layer, and what else tells of them or changes them. */
function requestsOn(id: number, file_upload: object): Request[] {
  const attachment = `/api/resource/${id}/feature/1/attachment/`
  const bodies: Readonly<Record<string, unknown>> = {
    'feature.patch': [{ id: 1, fields: { size: 1 } }],
    'feature.delete_many': [{ id: 1 }],
  }
  const ofContract = Object.entries({ ...featureRoutes, ...identifyRoutes }).map(
    ([name, { method, path }]): Request => {
      const at = path
        .replace('{id}', String(id))
        .replace('{fid}', '1')
        .replaceAll(/\{[zxy]\}/g, '0')
      const query = name.endsWith('export') ? '?format=CSV&zipped=no' : '?fld_name=Topsecret'
      const body = path.endsWith('identify') ? { srs: 3857, geom: box, layers: [id] } : (bodies[name] ?? {})
      return [method, at + query, method === 'GET' ? undefined : body]
    },
  )
  return [
    ...ofContract,
    ['GET', `/api/resource/${id}/extent`],
    ['GET', `/api/resource/${id}/export?format=GPKG`],
    ['GET', `/api/component/feature_layer/mvt?x=0&y=0&z=0&resource=${id}`],
    ['GET', `/api/resource/${id}/0/0/0.mvt`],
    ['GET', attachment],
    ['GET', `${attachment}1`],
    ['GET', `${attachment}1/download`],
    ['GET', `${attachment}1/image`],
    ['POST', attachment, { name: 'x', file_upload }],
    ['PUT', `${attachment}1`, { name: 'x' }],
    ['DELETE', `${attachment}1`],
    ['PUT', `/api/resource/${id}`, { vector_layer: { delete_all_features: true } }],
  ]
}

describeServers('a caller who can read a layer but not its data', (start) => {
  test('can neither learn nor change any of them, whatever the request', async () => {
    const server = await start()
    const { id, parent, ask } = await plantSecret(server)
    const asked = requestsOn(id, await uploadContent(ask, 'mine'))
    for (const [method, path, body] of asked) {
      const answer = await ask(method, path, body, named)
      const text = await answer.text()
      const isList = path.includes('identify')
      expect([method, path, answer.status, text]).toEqual([
        method,
        path,
        isList ? 200 : 403,
        expect.not.stringMatching(secrets),
      ])
      if (isList) expect(text).toContain('"featureCount":0')
    }
    // What there is of the layer itself is theirs to see, and holds nothing of the data either.
    const seen = [
      `/api/resource/${id}`,
      `/api/resource/${id}/volume`,
      `/resource/${id}`,
      `/api/resource/?parent=${parent}`,
      `/api/component/landform/tree?root=${parent}`,
      `/api/resource/search/?serialization=full`,
    ]
    for (const path of seen) {
      const answer = await ask('GET', path, undefined, named)
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        200,
        expect.not.stringMatching(secrets),
      ])
    }
    expect(await (await ask('GET', `/api/resource/${id}/volume`)).json<object>()).toEqual({ volume: 0 })
    const kept = await server.admin('GET', `/api/resource/${id}/feature/1`)
    expect(await kept.json<object>()).toMatchObject({
      fields: { name: 'Topsecret', size: 4242 },
      extensions: { description: 'Topsecret', attachment: [{ name: 'Topsecret.txt' }] },
    })
  })
})
