import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import type { Manifest } from '../../src/manifest/manifest.ts'
import { unwrapProperties, type Values } from '../../src/provider/property_values.ts'
import { LandformProvider } from '../../src/provider/provider.ts'
import { tokenOf } from '../../src/provider/resource_type.ts'
import { listManaged, writeProperties } from '../../src/pulumi/tree_properties.ts'
import { safeOptions } from '../../src/reconcile/model/plan_input.ts'
import { planManifest } from '../../src/reconcile/plan/plan_manifest.ts'
import { arbitraryTree } from '../reconcile/support/arbitrary.ts'
import { type Block, manifestOf, tell } from '../reconcile/support/literals.ts'
import { drivers } from '../support/drivers.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'

const soak = process.env.LANDFORM_SOAK !== undefined
const runs = (few: number, many: number) => ({ seed: 17, numRuns: soak ? many : few, endOnFailure: !soak })

/** State of a stack: id and checked inputs by URN, in the order of dependencies. */
type State = Map<string, { readonly id: string; readonly values: Values }>

interface Stack {
  readonly provider: LandformProvider
  readonly state: State
}

const newProvider = () => new LandformProvider({ version: '1.0.0', env: {}, folder: '/' })
const marked = (values: Values) => unwrapProperties(values)

/** Checks the resources of a manifest as a program with it declares them. */
async function checkAll(provider: LandformProvider, manifest: Manifest): Promise<Map<string, Values>> {
  const found = new Map<string, Values>()
  for (const wanted of listManaged(manifest)) {
    const urn = `urn:pulumi:dev::city::${tokenOf(wanted.cls)}::${wanted.key}`
    const sent = JSON.parse(JSON.stringify(writeProperties(wanted, manifest, (key) => key))) as Values
    const { values, faults } = await provider.check(urn, { news: marked(sent) })
    expect(faults).toEqual([])
    found.set(urn, values)
  }
  return found
}

/** Does what the engine does in an update, and returns its steps. */
async function up({ provider, state }: Stack, manifest: Manifest): Promise<string[]> {
  const steps: string[] = []
  const wanted = await checkAll(provider, manifest)
  for (const [urn, values] of wanted) {
    const old = state.get(urn)
    const inputs = marked(values)
    state.delete(urn)
    const before = old && { id: old.id, inputs: marked(old.values) }
    const changes = before && provider.diff(urn, { olds: before.inputs, news: inputs, ignored: [] })
    if (changes?.length === 0) {
      state.set(urn, { id: before?.id ?? '', values })
      continue
    }
    expect(changes?.filter(({ replaces }) => replaces) ?? []).toEqual([])
    steps.push(`${old === undefined ? 'create' : 'update'} ${urn}`)
    await provider.preview(urn, inputs, before)
    state.set(urn, { id: (await provider.write(urn, inputs, before)).id, values })
  }
  for (const [urn, { id }] of [...state].reverse()) {
    if (wanted.has(urn)) continue
    steps.push(`delete ${urn}`)
    await provider.delete(urn, id)
    state.delete(urn)
  }
  return steps
}

test('the difference between a generated tree and itself is empty, without a server', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryTree('T'), async (blocks) => {
      const provider = newProvider()
      const tree = manifestOf({ T: {}, ...blocks })
      const first = await checkAll(provider, tree)
      for (const [urn, values] of await checkAll(provider, tree)) {
        const olds = marked(first.get(urn) ?? {})
        expect(provider.diff(urn, { olds, news: marked(values), ignored: [] })).toEqual([])
      }
    }),
    runs(30, 2000),
  )
})

describe('a stack of a generated tree', () => {
  let server: TestServer
  let api: Api
  let count = 0
  beforeAll(async () => {
    server = await startTestServer(drivers[0] ?? 'pglite')
    api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
  })
  afterAll(async () => {
    await api.close()
    await server.stop()
  })

  test('is unchanged after an update, and equals the tree that landform apply makes', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTree('T'), arbitraryTree('T'), async (before, after) => {
        count += 1
        const top = `p${count}`
        const stack: Stack = { provider: newProvider(), state: new Map() }
        const settings = marked({ server: server.url, password: adminPassword, manifest: top })
        try {
          for (const blocks of [before, after]) {
            const tree = manifestOf({ [top]: { displayName: top }, ...rename(blocks, top) }, top)
            await stack.provider.configure(settings)
            await up(stack, tree)
            await stack.provider.configure(settings)
            expect(await up(stack, tree)).toEqual([])
            for (const [urn, { id, values }] of stack.state) {
              const read = await stack.provider.read(urn, id, {
                inputs: marked(values),
                readOutputs: () => ({}),
              })
              expect(read?.values).toEqual(values)
            }
            const planned = await planManifest({
              api,
              manifest: tree,
              options: { ...safeOptions, prune: true },
            })
            expect(tell(planned)).toEqual([])
          }
        } finally {
          await stack.provider.close()
        }
      }),
      runs(3, 60),
    )
  })
})

/** Puts the name of the case in the place of `T` in keys and references. */
function rename(blocks: Readonly<Record<string, Block>>, top: string): Record<string, Block> {
  const text = JSON.stringify(blocks).replaceAll('"T.', `"${top}.`).replaceAll('"T"', `"${top}"`)
  return JSON.parse(text) as Record<string, Block>
}
