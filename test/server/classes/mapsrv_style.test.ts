import { expect, test } from 'vitest'
import { readMapserverXml } from '../../../src/style/mapserver/mapserver_read.ts'
import { type Ask, describeServers } from '../../support/server.ts'
import { createLayer, createResource, createStyle, styleXml } from '../../support/tree.ts'

const readXml = async (ask: Ask, id: number) => {
  const body = await (await ask('GET', `/api/resource/${id}`)).json<{ mapsrv_style: { xml: string } }>()
  return body.mapsrv_style.xml
}

describeServers('styles', (start) => {
  test('a style is returned as written, and an update replaces it', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Kept', geometryType: 'POINT' })
    const style = await createStyle(admin, { parent: layer, name: 'Style', inner: ' <width value="2"/>' })
    expect(await readXml(admin, style)).toBe(styleXml(' <width value="2"/>'))
    const xml = styleXml('<size>9</size>')
    expect((await admin('PUT', `/api/resource/${style}`, { mapsrv_style: { xml } })).status).toBe(200)
    expect(await readXml(admin, style)).toBe(xml)
    expect((await admin('PUT', `/api/resource/${style}`, { mapsrv_style: {} })).status).toBe(200)
    expect(await readXml(admin, style)).toBe(xml)
  })

  test.each([
    ['MULTIPOLYGON', { fill: '#a6cee3', outline: '#404040', width: 0.8 }],
    ['LINESTRINGZ', { fill: '#3182bd', width: 1.5 }],
    ['MULTIPOINT', { fill: '#e6550d', outline: '#ffffff', size: 7 }],
  ])('a style without XML gets the default for %s', async (geometryType, expected) => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: `Plain ${geometryType}`, geometryType })
    const xml = await readXml(admin, await createStyle(admin, { parent: layer, name: 'Style' }))
    const { style, issues } = readMapserverXml(xml)
    expect(issues).toEqual([])
    expect(style?.rules[0]?.symbolizers[0]).toMatchObject(expected)
  })

  test('a style with more classes than any may have is refused with both numbers', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Many classes', geometryType: 'POINT' })
    const xml = `<map><layer>${'<class/>'.repeat(10_001)}</layer></map>`
    const resource = { cls: 'mapsrv_style', parent: { id: layer }, display_name: 'Many classes' }
    const answer = await admin('POST', '/api/resource/', { resource, mapsrv_style: { xml } })
    expect(answer.status).toBe(422)
    expect(await answer.text()).toContain('the style has 10001 classes; the maximum is 10000')
  })

  test('an invalid style is refused with line and column, and leaves nothing behind', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Faulty', geometryType: 'POINT' })
    const xml =
      '<map>\n  <layer><class><style>\n    <width>wide</width><size>-1</size></style></class></layer></map>'
    const answer = await admin('POST', '/api/resource/', {
      resource: { cls: 'mapsrv_style', parent: { id: layer }, display_name: 'Faulty' },
      mapsrv_style: { xml },
    })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({
      code: 'style/invalid',
      message:
        '<width>: expected a number from 0 to 1000, got "wide" - at $.mapsrv_style.xml, line 3, column 6 (and 1 more)',
      data: {
        location: ['body', '/mapsrv_style/xml'],
        faults: [
          { code: 'style/bad-value', line: 3, column: 6 },
          { code: 'style/bad-value', line: 3, column: 25 },
        ],
      },
    })
    expect(await (await admin('GET', `/api/resource/?parent=${layer}`)).json()).toEqual([])
  })

  test('an invalid update does not change the style', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Unchanged', geometryType: 'POINT' })
    const style = await createStyle(admin, { parent: layer, name: 'Style', inner: '<width>1</width>' })
    const change = { resource: { display_name: 'Renamed' }, mapsrv_style: { xml: '<map' } }
    expect((await admin('PUT', `/api/resource/${style}`, change)).status).toBe(422)
    const body = await (await admin('GET', `/api/resource/${style}`)).json()
    expect(body).toMatchObject({
      resource: { display_name: 'Style' },
      mapsrv_style: { xml: styleXml('<width>1</width>') },
    })
  })

  test('parts that rendering does not support are accepted', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Lenient', geometryType: 'POINT' })
    const style = await createStyle(admin, { parent: layer, name: 'Style', inner: '<blur>1</blur>' })
    expect(await readXml(admin, style)).toBe(styleXml('<blur>1</blur>'))
    const xml = styleXml('<blur>2</blur>')
    const answer = await admin('PUT', `/api/resource/${style}`, { mapsrv_style: { xml } })
    expect(await answer.json()).toMatchObject({
      style_issues: [{ message: 'unknown element <blur>', line: 1 }],
    })
  })

  test('a style can only be a child of a layer', async () => {
    const { admin } = await start()
    await expect(createResource(admin, { cls: 'mapsrv_style', name: 'Astray' })).rejects.toThrow('422')
  })
})
