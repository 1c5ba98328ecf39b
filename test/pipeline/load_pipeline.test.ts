import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createValidatorCompiler } from '../../src/contract/schema/validate.ts'
import { formatIssue } from '../../src/core/excerpt.ts'
import { loadPipeline } from '../../src/pipeline/load_pipeline.ts'
import { pipelineSchema } from '../../src/pipeline/pipeline_schema.ts'

let cwd = ''
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'landform-pipeline-'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function load(text: string, env: Record<string, string> = {}) {
  await writeFile(join(cwd, 'p.yaml'), text)
  return loadPipeline({ path: 'p.yaml', cwd, env })
}

async function faults(text: string): Promise<string[]> {
  const { issues } = await load(text)
  return issues.map(({ span, code, message, hint }) => {
    return `${span?.line}:${span?.column} ${code} ${message}${hint ? ` (${hint})` : ''}`
  })
}

describe('loadPipeline', () => {
  it('returns the pipeline and its folder', async () => {
    const { pipeline, issues } = await load(
      'pipeline: roads\nfrom: { file: "${env.SOURCE}" }\nto: { layer: roads }\n',
      { SOURCE: 'roads.gpkg' },
    )
    expect(issues).toEqual([])
    expect(pipeline).toEqual({
      kind: 'import',
      pipeline: 'roads',
      from: { file: 'roads.gpkg' },
      to: { layer: 'roads' },
      folder: cwd,
    })
  })

  it.each(['pipelines/cities.yaml', 'pipelines/snapshot.yaml'])('accepts %s', async (path) => {
    const { pipeline, issues } = await loadPipeline({ path, cwd: process.cwd(), env: {} })
    expect(issues).toEqual([])
    expect(pipeline?.kind).toBe(path.includes('snapshot') ? 'export' : 'import')
  })

  it('reports every fault with its position and a hint', async () => {
    const text = [
      'pipeline: roads',
      'form: { file: x }',
      'from:',
      '  file: roads.csv',
      '  csv: { seperator: ";" }',
      'check:',
      '  bbox: [0, 1, 2]',
      'quarantine: { limit: some }',
      'to: { layer: roads, mode: append }',
    ]
    expect(await faults(text.join('\n'))).toEqual([
      '2:1 pipeline/unknown-field unknown field "form" (did you mean "from"?)',
      '5:10 pipeline/unknown-field unknown field "seperator" (did you mean "separator"?)',
      '7:9 pipeline/bad-value expected at least 4 items',
      '8:22 pipeline/bad-value "some" does not match the pattern ^[0-9]+(\\.[0-9]+)?%$',
      '9:27 pipeline/bad-value expected one of "replace", "sync", got "append"',
    ])
  })

  it('reports once that a file is a manifest', async () => {
    expect(await faults('manifest: test\nresources:\n  root: { existing: true, id: 0 }\n')).toEqual([
      '1:1 pipeline/unknown-field the file is a manifest, not a pipeline (apply it with "landform apply FILE")',
    ])
  })

  it('shows no secrets in messages and excerpts', async () => {
    const text =
      'pipeline: roads\nfrom: { file: roads.csv, password: hunter2 }\nto: { layer: [], password: "a b" }\n'
    const { issues, text: shown } = await load(text)
    expect(issues.map(({ code }) => code)).toContain('pipeline/unknown-field')
    expect(issues.map((issue) => formatIssue(issue, shown)).join('\n')).toContain('password: *******')
    expect(JSON.stringify(issues) + shown).not.toMatch(/hunter2|a b/)
    expect(shown).toHaveLength(text.length)
  })

  it('shows the expression instead of the value of a variable', async () => {
    const { issues } = await load('pipeline: x\nfrom: { file: a }\nto: { layer: b, mode: "${env.MODE}" }', {
      MODE: 'hunter2',
    })
    expect(issues.map(({ message }) => message)).toEqual([
      'expected one of "replace", "sync", got "${env.MODE}"',
    ])
  })

  it('reports missing fields', async () => {
    expect(await faults('pipeline: x\nfrom: { layers: [a] }\nto: {}\n')).toEqual([
      '3:1 pipeline/missing-field missing field "folder"',
    ])
  })

  it.each([
    ['', 'pipeline/missing-field'],
    ['pipeline: [', 'yaml/syntax'],
    ['pipeline: x\npipeline: y\nfrom: { file: a }\nto: { layer: b }', 'yaml/duplicate-key'],
    ['pipeline: "${env.NONE}"\nfrom: { file: a }\nto: { layer: b }', 'value/unknown-variable'],
  ])('refuses %j', async (text, code) => {
    const { pipeline, issues } = await load(text)
    expect(pipeline).toBeUndefined()
    expect(issues.map((issue) => issue.code)).toContain(code)
  })

  it.each([
    ['{ layer: b, mode: sync }', ['3:1 pipeline/missing-field mode sync requires a key']],
    ['{ layer: b, key: code }', ['3:22 pipeline/bad-value a key is only allowed with mode sync']],
    ['{ layer: b, mode: sync, key: [] }', ['3:34 pipeline/bad-value expected at least 1 item']],
    ['{ layer: b, mode: sync, key: [a, b] }', []],
  ])('checks the key of to: %s', async (to, expected) => {
    const found = await faults(`pipeline: x\nfrom: { file: a }\nto: ${to}`)
    expect(found.map((fault) => fault.replace(/ \(.*/, ''))).toEqual(expected)
  })

  it('reports a missing file', async () => {
    await expect(loadPipeline({ path: 'none.yaml', cwd, env: {} })).rejects.toMatchObject({
      code: 'file/not-found',
    })
  })
})

describe('pipelineSchema', () => {
  it('is self-contained and accepts what loadPipeline accepts', () => {
    expect(new Ajv({ strict: false }).validateSchema(pipelineSchema())).toBe(true)
    const check = createValidatorCompiler({ faults: 'all' })(pipelineSchema())
    expect(check({ pipeline: 'a', from: { file: 'x' }, to: { layer: 'y' } })).toEqual([])
    expect(check({ pipeline: 'a', from: { layers: ['x'] }, to: { folder: 'y' } })).toEqual([])
    expect(check({ pipeline: 'a', from: { layers: ['x'] }, to: { layer: 'y' } })).not.toEqual([])
  })
})
