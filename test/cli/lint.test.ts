import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from './terminal.ts'

let cwd: string

const manifest = (field: string) => `manifest: styled
resources:
  root: { existing: true, id: 0 }
  wells:
    cls: vector_layer
    parent: root
    display_name: Wells
    vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
    feature_layer: { fields: [{ keyname: depth, datatype: REAL }] }
    children:
      dots:
        cls: desk_vector_style
        display_name: Dots
        desk_vector_style: { qml: "\${file:wells.qml}" }
      plain:
        cls: mapsrv_style
        display_name: Plain
        mapsrv_style:
          xml: |
            <map><layer><classitem>${field}</classitem><class><expression>1</expression></class></layer></map>
`

const qml = '<qgis>\n<renderer-v2 type="25dRenderer"/>\n</qgis>\n'

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'landform-lint-'))
  await writeFile(join(cwd, 'styled.yaml'), manifest('dept'))
  await writeFile(join(cwd, 'good.yaml'), manifest('depth').replace(/ +dots:\n(.*\n){3}/, ''))
  await writeFile(join(cwd, 'wells.qml'), qml)
  await writeFile(join(cwd, 'broken.qml'), '<qgis>')
})

afterAll(() => rm(cwd, { recursive: true, force: true }))

const lint = (...words: string[]) => runCommand(['lint', ...words], { cwd })

test('lists what the styles of a manifest do not draw, with file, line, column, name and advice', async () => {
  const { exit, out } = await lint('styled.yaml')
  expect(exit).toBe(0)
  expect(out.split('\n')).toEqual([
    'styled.yaml:20:26 warning style/missing-field: plain.mapsrv_style.xml: the layer has no field "dept"; its value is null',
    expect.stringContaining('20 | '),
    expect.stringContaining('^^^^'),
    '  hint: did you mean "depth"?',
    'wells.qml:2:2 warning style/unknown: dots.desk_vector_style.qml: renderer 25dRenderer is not drawn',
    expect.stringContaining('2 | '),
    expect.stringContaining('^^^^'),
    '  hint: use single symbol, categories, graduated ranges, rules or a heatmap',
    '1 warning  style/missing-field',
    '1 warning  style/unknown',
    '4 resources, 2 styles, 2 warnings',
    '',
  ])
})

test('counts findings by severity and code at the end, in text and events', async () => {
  const paths = ['styled.yaml', 'wells.qml', 'broken.qml']
  const { out } = await lint(...paths)
  const summary = [
    '1 error     style/bad-xml',
    '2 warnings  style/unknown',
    '1 warning   style/missing-field',
  ]
  expect(out.split('\n').slice(-5)).toEqual([...summary, '4 resources, 4 styles, 1 error and 3 warnings', ''])
  const codes = (severity: string, code: string, count: number) => ({ code, severity, count })
  const events = (await lint(...paths, '--json')).out.trim().split('\n')
  expect(JSON.parse(events.at(-1) ?? '').codes).toEqual([
    codes('error', 'style/bad-xml', 1),
    codes('warning', 'style/unknown', 2),
    codes('warning', 'style/missing-field', 1),
  ])
})

test('exits with 3 for errors, and for warnings if they are to fail', async () => {
  expect((await lint('good.yaml')).exit).toBe(0)
  expect((await lint('good.yaml', '--strict')).exit).toBe(0)
  expect((await lint('styled.yaml', '--strict')).exit).toBe(3)
  const { exit, out } = await lint('broken.qml')
  expect(exit).toBe(3)
  expect(out).toContain('broken.qml:1:6 error style/bad-xml: unclosed tag: qgis')
})

test('counts nothing of a manifest that errors keep from being read', async () => {
  await writeFile(join(cwd, 'faulty.yaml'), manifest('depth').replace('</map>', ''))
  const { exit, out } = await lint('faulty.yaml')
  expect([exit, out]).toEqual([3, expect.stringMatching(/\n1 error and 1 warning\n$/)])
  const events = (await lint('faulty.yaml', '--json')).out.trim().split('\n')
  expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ v: 1, type: 'linted', errors: 1, warnings: 1 })
  expect(JSON.parse(events.at(-1) ?? '')).not.toHaveProperty('resources')
})

test('checks style files without a manifest, and writes events', async () => {
  const { exit, out } = await lint('wells.qml', '--json')
  expect(exit).toBe(0)
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events).toEqual([
    expect.objectContaining({ type: 'issue', code: 'style/unknown', severity: 'warning' }),
    {
      ...{ v: 1, type: 'linted', styles: 1, errors: 0, warnings: 1 },
      codes: [{ code: 'style/unknown', severity: 'warning', count: 1 }],
    },
  ])
  expect(events[0].span).toMatchObject({ file: 'wells.qml', line: 2, column: 2 })
})

test('a file that is not there is an error of the command line', async () => {
  const { exit, err } = await lint('missing.qml')
  expect([exit, err]).toEqual([3, expect.stringContaining('Cannot read "missing.qml": ENOENT.')])
})

test('style files are written as SLD and Mapbox GL, with what is left out on stderr', async () => {
  await writeFile(
    join(cwd, 'areas.xml'),
    '<map><layer><class><name>all</name><style><color>#ff0000</color></style></class></layer></map>',
  )
  const convert = (...words: string[]) => runCommand(['convert-style', ...words], { cwd })
  const sld = await convert('areas.xml', '--to', 'sld')
  expect([sld.exit, sld.err]).toEqual([0, ''])
  expect(sld.out).toContain('<CssParameter name="fill">#ff0000</CssParameter>')
  await writeFile(join(cwd, 'areas.sld'), sld.out)
  const mapbox = await convert('areas.sld', '--to', 'mapbox', '--tile-layer', 'svc:7')
  expect(JSON.parse(mapbox.out).layers).toMatchObject([{ type: 'fill', 'source-layer': 'svc:7' }])
  expect((await lint('areas.sld')).out).toBe('1 style, no errors\n')
  const points = await convert('areas.xml', '--to', 'mapbox', '--geometry', 'POINTS')
  expect([points.exit, points.err]).toEqual([
    3,
    expect.stringContaining('expected POINT, LINESTRING, POLYGON'),
  ])
  const heat = await convert('wells.qml', '--to', 'sld')
  expect([heat.exit, heat.err]).toEqual([0, expect.stringContaining('renderer 25dRenderer is not drawn')])
})
