import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type {
  Manifest,
  WantedAttachment,
  WantedData,
  WantedFeatures,
} from '../../../src/manifest/manifest.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { describeServers, type TestServer } from '../../support/server.ts'
import { geojson, point } from '../../support/vector.ts'
import { manifestOf, tell } from '../support/literals.ts'
import { applyAll, planAll, useSandboxes } from '../support/sandbox.ts'

const codes = ['a', 'b', 'ü', '0']
const texts = ['first', 'second']
const names = ['one.txt', 'two.txt']

/** For each feature, a text or none; undefined if the manifest does not set them. */
const descriptions = fc.option(
  fc.dictionary(fc.constantFrom(...codes), fc.constantFrom('x', '<b>y</b>'), { noNullPrototype: true }),
  { nil: undefined },
)
const attachment = fc.record(
  {
    name: fc.constantFrom(...names),
    text: fc.constantFrom(...texts),
    description: fc.constantFrom('', 'Lake'),
  },
  { requiredKeys: ['name', 'text'], noNullPrototype: true },
)
const attachments = fc.option(
  fc.dictionary(
    fc.constantFrom(...codes),
    fc.uniqueArray(attachment, { maxLength: 2, selector: ({ name }) => name }),
    { noNullPrototype: true },
  ),
  { nil: undefined },
)
/** An edition of the source and of the block. */
const step = fc.record({
  present: fc.subarray(codes, { minLength: 1 }),
  edition: fc.nat(1),
  hasNote: fc.boolean(),
  mode: fc.constantFrom('replace' as const, 'sync' as const),
  descriptions,
  attachments,
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Versions of the manifest in a run. */
const steps = 5

describeServers('features with descriptions and attachments', (start, driver) => {
  const runs = { seed: 20_261_131, cases: casesOn[driver], steps }
  const sandbox = useSandboxes(start)
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'landform-extended-'))
    for (const text of texts) await writeFile(join(folder, text), text)
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** Writes the source, and gives the manifest of a step. */
  async function prepare(key: string, { present, edition, hasNote, mode, ...rest }: Step): Promise<Manifest> {
    const path = join(folder, 'source.geojson')
    const features = present.map((code, at) => ({
      geometry: point(codes.indexOf(code), edition),
      properties: { code, note: at },
    }))
    await writeFile(path, geojson(features))
    const sync: Partial<WantedData> = mode === 'sync' ? { featureKey: ['code'] } : {}
    const data = { path, source: path, options: {}, mode, ...sync }
    const list = [
      { keyname: 'code', datatype: 'STRING' },
      ...(hasNote ? [{ keyname: 'note', datatype: 'INTEGER' }] : []),
    ]
    const members = { feature_layer: { fields: list } }
    const block = { cls: 'vector_layer' as const, data, members }
    const extended = featuresOf(folder, present, rest)
    return manifestOf({ [key]: extended === undefined ? block : { ...block, features: extended } }, key)
  }

  it('make the next plan empty, and are as the manifest sets them', patience, async () => {
    await assertLaw(
      fc.asyncProperty(stepsOf(step, steps), fc.boolean(), async (wanted, atomic) => {
        const { server, api, top } = await sandbox()
        for (const one of wanted) {
          const manifest = await prepare(top, one)
          const options = { allowLoss: new Set([top]) }
          await applyAll(api, manifest, { atomic, ...options })
          const { issues, ...next } = await planAll(api, manifest)
          expect([tell({ issues, ...next }), issues]).toEqual([[], []])
          const held = await readExtensions(server, next.ids.get(top) ?? 0)
          const { features } = manifest.resources.get(top) ?? {}
          if (features?.descriptions !== undefined)
            expect(held.descriptions).toEqual(Object.fromEntries(features.descriptions))
          if (features?.attachments !== undefined)
            expect(held.attachments).toEqual(namesOf(features.attachments))
        }
      }),
      runs,
    )
  })

  it('are synchronized and lose a field in one apply, which is no edit of others', async () => {
    const { api, top } = await sandbox()
    const one: Step = {
      ...{ present: ['a', 'b'], edition: 0, hasNote: true, mode: 'sync' },
      ...{ descriptions: undefined, attachments: undefined },
    }
    for (const next of [one, { ...one, present: ['b'], edition: 1, hasNote: false }]) {
      const manifest = await prepare(top, next)
      await applyAll(api, manifest, { allowLoss: new Set([top]) })
      const { issues, ...plan } = await planAll(api, manifest)
      expect([tell({ issues, ...plan }), issues]).toEqual([[], []])
    }
  })
})

/** The block of a step, for the features that the source has. */
function featuresOf(
  folder: string,
  present: readonly string[],
  drawn: Pick<Step, 'descriptions' | 'attachments'>,
): WantedFeatures | undefined {
  if (drawn.descriptions === undefined && drawn.attachments === undefined) return undefined
  const pick = <T>(all: Readonly<Record<string, T>>) =>
    Object.entries(all).filter(([code]) => present.includes(code))
  const files = (all: NonNullable<Step['attachments']>) =>
    pick(all).map(([code, list]): [string, WantedAttachment[]] => [
      code,
      list
        .map(({ text, ...one }) => ({ ...one, path: join(folder, text) }))
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
    ])
  return {
    key: 'code',
    ...(drawn.descriptions === undefined ? {} : { descriptions: new Map(pick(drawn.descriptions)) }),
    ...(drawn.attachments === undefined ? {} : { attachments: new Map(files(drawn.attachments)) }),
  }
}

/** Names of attachments by feature, for those that have any. */
function namesOf(all: NonNullable<WantedFeatures['attachments']>): Record<string, string[]> {
  const named = [...all].map(([code, list]): [string, string[]] => [code, list.map(({ name }) => name)])
  return Object.fromEntries(named.filter(([, list]) => list.length > 0))
}

interface Extended {
  readonly key: string
  readonly description: string | null
  readonly attachments: readonly { readonly name: string }[]
}

async function readExtensions({ admin }: TestServer, id: number) {
  const answer = await admin('GET', `/api/resource/${id}/feature_extensions?key=code`)
  const all = await answer.json<Extended[]>()
  const described = all.filter(({ description }) => description !== null)
  const listed = all.map(({ key, attachments: list }): [string, string[]] => [
    key,
    list.map(({ name }) => name).sort(),
  ])
  return {
    descriptions: Object.fromEntries(described.map(({ key, description }) => [key, description])),
    attachments: Object.fromEntries(listed.filter(([, list]) => list.length > 0)),
  }
}
