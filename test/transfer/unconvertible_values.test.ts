import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import { datatypes } from '../../src/contract/geometry.ts'
import { isProblem } from '../../src/core/problem.ts'
import { applyPlan } from '../../src/reconcile/apply/apply_plan.ts'
import { planManifest } from '../../src/reconcile/plan/plan_manifest.ts'
import { countValues } from '../../src/transfer/count_values.ts'
import { readSource } from '../../src/transfer/read_source.ts'
import { manifestOf } from '../reconcile/support/literals.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'

/** Columns by name, with values whose datatype the import infers. */
const columns: Readonly<Record<string, readonly string[]>> = {
  small: ['1', '-7', '', '2147483647'],
  big: ['5000000000', '9007199254740992', '9007199254740993', '1'],
  real: ['1.5', '2.0', '1e10', '1e300'],
  day: ['2024-02-29', '', '1999-12-31', '0001-01-01'],
  clock: ['10:00:00', '23:59:59', '', '00:00:00'],
  instant: ['2024-02-29T10:00:00', '2024-01-01T00:00:00', '', '1999-12-31T23:59:59'],
  text: ['four', '4', ' 4 ', '1.5'],
  code: ['007', '8', '+9', ''],
  days: ['2024-02-29', '2024-02-30', '2024/01/01', ''],
}

describeServer('values of a source', (start) => {
  let server: TestServer
  let api: Api
  let folder: string
  beforeAll(async () => {
    server = await start()
    api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
    folder = await mkdtemp(join(tmpdir(), 'landform-values-'))
  })
  afterAll(async () => {
    await api.close()
    await rm(folder, { recursive: true })
  })

  it('are convertible to a declared datatype if the server can convert those of a layer', async () => {
    const path = join(folder, 'values.csv')
    const names = Object.keys(columns)
    const rows = [0, 1, 2, 3].map((row) => [row, row, ...names.map((name) => columns[name]?.[row])].join())
    await writeFile(path, [['x', 'y', ...names].join(), ...rows, ''].join('\n'))
    const data = { path, source: 'values.csv', options: {} }
    const manifest = manifestOf({ values: { cls: 'vector_layer', data } }, 'values')
    const { outcomes } = await applyPlan({ api, plan: await planManifest({ api, manifest }) })
    const id = outcomes[0]?.id ?? 0
    const source = { path, options: {}, geometryType: undefined }
    for (const to of datatypes) {
      const contents = await readSource({
        ...source,
        declared: names.map((keyname) => ({ keyname, datatype: to })),
      })
      if (contents === undefined || isProblem(contents)) throw contents ?? new Error('not read')
      const found = new Map(contents.unconvertible.map(({ keyname, count }) => [keyname, count]))
      for (const { keyname, datatype } of contents.fields) {
        const there = datatype === to ? 0 : await countValues(api, { id, keyname, datatype, to }, undefined)
        expect([to, keyname, found.get(keyname) ?? 0]).toEqual([to, keyname, there])
      }
    }
  })
})
