import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasErrors } from '../../src/core/issue.ts'
import { explainBlock, findNamedBlocks } from '../../src/manifest/explain/explain_block.ts'
import { loadManifest } from '../../src/manifest/load_manifest.ts'
import { fixtureEnv, fixtures } from '../support/fixtures.ts'

const load = () => loadManifest({ paths: ['good/fragments.yaml'], env: fixtureEnv, cwd: fixtures })

test('a fragment makes resources for each use, with parameters in keys, strings and alone', async () => {
  const { manifest, issues } = await load()
  expect(hasErrors(issues)).toBe(false)
  const resources = [...(manifest?.resources.values() ?? [])]
  expect(resources.map(({ key, parent, displayName }) => [key, parent, displayName])).toEqual([
    ['root', undefined, undefined],
    ['paths', 'root', 'Norway'],
    ['paths_look', 'paths', 'Style, grey'],
    ['roads', 'root', 'Roads'],
    ['roads_look', 'roads', 'Style, red'],
  ])
  expect(manifest?.resources.get('roads')).toMatchObject({
    resmeta: { width: 3, label: 'red 3' },
    members: { feature_layer: { fields: [{ keyname: 'name', datatype: 'STRING' }] } },
  })
  expect(manifest?.resources.get('paths')).toMatchObject({ resmeta: { width: 2, label: 'grey 2' } })
})

test.each([
  ['a parameter', 'type: string, default: "Layer ${param.key}"', '${param.key}', 5],
  ['a variable', 'type: string, default: "${env.COUNTRY:-Norway}"', '${env.COUNTRY:-Norway}', 5],
  ['a parameter in a list', 'type: list, default: [a, "${param.key}"]', '${param.key}', 5],
])('a default with %s is an error at its position', async (_, declared, expression, line) => {
  const folder = await mkdtemp(join(tmpdir(), 'landform-fragment-'))
  const text = `manifest: m
fragments:
  f:
    parameters:
      title: { ${declared} }
    resources:
      \${param.key}: { cls: resource_group, display_name: Group, resmeta: { title: "\${param.title}" } }
resources:
  root: { existing: true, id: 0, children: { a: { use: f, with: { title: T } } } }
`
  await writeFile(join(folder, 'm.yaml'), text)
  const { issues } = await loadManifest({ paths: ['m.yaml'], env: {}, cwd: folder })
  await rm(folder, { recursive: true })
  const [issue] = issues.filter(({ code }) => code === 'manifest/bad-parameter')
  expect(issue?.message).toContain(`the default of title contains ${expression}`)
  expect([issue?.severity, issue?.span?.line]).toEqual(['error', line])
})

test('values of a fragment have their positions in it', async () => {
  const { manifest } = await load()
  const spans = ['roads', 'paths'].map((key) => manifest?.resources.get(key)?.spanOf('/display_name').line)
  expect(spans).toEqual([14, 14])
})

test('was: of a use renames all of its resources, also those of uses within it', async () => {
  const { manifest, issues } = await loadManifest({
    ...{ paths: ['good/renamed_fragments.yaml'], env: fixtureEnv, cwd: fixtures },
  })
  expect(issues).toEqual([])
  const resources = [...(manifest?.resources.values() ?? [])].filter(({ existing }) => !existing)
  expect(resources.map(({ key, was, spanOf }) => [key, was, spanOf('/was').line])).toEqual([
    ['paths', 'roads', 33],
    ['paths_look', 'roads_look', 33],
    ['roads', 'paths', 32],
    ['roads_look', 'paths_look', 32],
    ['tracks', 'rails', 36],
    ['tracks_look', 'rails_look', 36],
  ])
})

test('the origin of a value leads through the fragments to the use', async () => {
  const { documents } = await load()
  const tell = (name: string) => {
    const [named] = findNamedBlocks(documents, name)
    const [field] = named === undefined ? [] : explainBlock(named, fixtureEnv)
    return field?.origins.map(({ kind, text, span }) => [kind, text, span?.line].filter(Boolean).join(' '))
  }
  expect(tell('paths.display_name')).toEqual([
    'written 14',
    'parameter title 35',
    'variable COUNTRY',
    'fragment styled 33',
  ])
  expect(tell('roads_look.display_name')).toEqual([
    'written 25',
    'parameter color 19',
    'parameter color 32',
    'fragment styled 32',
    'fragment look 19',
  ])
  expect(tell('paths.resmeta.width')).toEqual(['written 15', 'parameter-default width', 'fragment styled 33'])
})
