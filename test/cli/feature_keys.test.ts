import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { administratorEnv, describeServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const header = 'longitude,latitude,height,opened,visited,day,number,name'
const rows = [
  '1,1,1.50,9:30,2024-01-31 10:00,2024/1/31,007,a',
  '2,2,1e21,23:59:59.9,2024-01-31T23:59:59Z,2024/02/01,9007199254740993,b',
]

/** Datatype of each field, keys of its features as they are written, and another form of the first one. */
const fields = [
  ['height', 'REAL', ['1.5', '1e+21'], '1.50'],
  ['opened', 'TIME', ['09:30:00', '23:59:59'], '9:30'],
  ['visited', 'DATETIME', ['2024-01-31T10:00:00', '2024-01-31T23:59:59'], '2024-01-31 10:00'],
  ['day', 'DATE', ['2024-01-31', '2024-02-01'], '2024/1/31'],
  ['number', 'BIGINT', ['7', '9007199254740993'], '007'],
  ['name', 'STRING', ['a', 'b'], undefined],
] as const

describeServer('keys of features', (start) => {
  let server: TestServer
  let cwd: string
  beforeAll(async () => {
    server = await start()
    cwd = await mkdtemp(join(tmpdir(), 'landform-keys-'))
    await writeFile(join(cwd, 'places.csv'), `${[header, ...rows].join('\n')}\n`)
  })
  afterAll(async () => {
    await rm(cwd, { recursive: true, force: true })
  })

  const run = (...words: readonly string[]) => runCommand(words, { cwd, env: administratorEnv(server.url) })

  async function write(
    name: string,
    key: string,
    keys: readonly string[],
    types: object = {},
  ): Promise<string> {
    const list = fields.map(([keyname, datatype]) => ({
      keyname,
      datatype,
      ...(keyname === key ? types : {}),
    }))
    const descriptions = Object.fromEntries(keys.map((one) => [one, `About ${one}`]))
    const layer = {
      ...{ cls: 'vector_layer', parent: 'root', display_name: name, data: { source: 'places.csv' } },
      feature_layer: { fields: list },
      features: { key, descriptions },
    }
    const resources = { root: { existing: true, id: 0 }, [name]: layer }
    await writeFile(join(cwd, `${name}.yaml`), JSON.stringify({ manifest: name, resources }, null, 1))
    return `${name}.yaml`
  }

  it.each(fields)(
    'in the field %s (%s) are checked against the source, and found by the apply',
    async (...field) => {
      const [key, , keys, other] = field
      const wrong = await write(`by_${key}`, key, [...keys, 'none', ...(other === undefined ? [] : [other])])
      for (const command of ['validate', 'plan']) {
        const { exit, out, err } = await run(command, wrong)
        expect(exit).not.toBe(0)
        expect(out + err).toContain(`no feature of the source of "by_${key}" has ${key} "none"`)
        for (const good of keys) expect(out + err).not.toContain(`has ${key} ${JSON.stringify(good)}`)
        if (other !== undefined)
          expect(out + err).toContain(`hint: Write the value as the field prints it: "${keys[0]}".`)
      }
      const file = await write(`by_${key}`, key, keys)
      expect(await run('apply', file, '--yes')).toMatchObject({ exit: 0 })
      expect((await run('plan', file)).out).toContain('0 changes')
    },
  )

  it('are those of the converted values', async () => {
    const file = await write('converted', 'number', ['7'], { datatype: 'REAL' })
    const wrong = await write('wrong', 'height', ['1.50'], { datatype: 'REAL' })
    expect((await run('plan', wrong)).err).toContain('"1.50"')
    const text = await write('text', 'height', ['1.50', '1e21'], { datatype: 'STRING' })
    await writeFile(
      join(cwd, 'places.csv'),
      `${header}\n${rows.join('\n').replace('9007199254740993', '8')}\n`,
    )
    for (const one of [file, text]) {
      expect(await run('apply', one, '--yes')).toMatchObject({ exit: 0 })
      expect((await run('plan', one)).out).toContain('0 changes')
    }
  })
})
