import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupCpuSeconds } from './cpu_time.ts'
import type { GetBytes } from './load_client.ts'

/** MapServer as FastCGI processes. */
export interface Mapserver {
  /** Requests an image by the query string, without a web server in between. */
  readonly get: GetBytes
  /** Processor time of its processes, in seconds. */
  cpuSeconds(): number
  stop(): Promise<void>
}

/** A layer of a map. */
export type MapserverLayer = MapserverTable | MapserverRaster

/** A raster in EPSG:3857. */
export interface MapserverRaster {
  readonly name: string
  readonly type: 'RASTER'
  readonly file: string
}

/** A table of a PostgreSQL database with columns `id` and `geom`, in EPSG:3857. */
export interface MapserverTable {
  readonly name: string
  readonly type: 'POLYGON' | 'POINT'
  /** Schema and table, quoted. */
  readonly table: string
  /** Content of its class. */
  readonly style: string
}

/** Opens a socket, starts the processes on it as their standard input, and becomes the first of them. */
const starter = `use Socket; use POSIX (); my ($path, $count, @command) = @ARGV;
  socket(my $server, PF_UNIX, SOCK_STREAM, 0) or die $!;
  bind($server, sockaddr_un($path)) && listen($server, 128) or die $!;
  POSIX::dup2(fileno($server), 0) or die $!;
  for (2 .. $count) { my $child = fork(); last if defined $child && $child == 0 }
  exec @command;`

/** Starts MapServer with a map of layers. @see https://mapserver.org/optimization/fastcgi.html */
export async function startMapserver(
  folder: string,
  {
    url = '',
    layers,
    processes = 2,
  }: { readonly url?: string; readonly layers: readonly MapserverLayer[]; readonly processes?: number },
): Promise<Mapserver> {
  const [map, config, socket] = ['tiles.map', 'mapserver.conf', 'mapserv.sock'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  writeFileSync(map, formatMap(url, layers))
  writeFileSync(config, 'CONFIG ENV MS_MAP_PATTERN "." END END')
  const child = spawn('perl', ['-e', starter, socket, String(processes), 'mapserv'], {
    detached: true,
    cwd: folder,
    env: { ...process.env, MAPSERVER_CONFIG_FILE: config },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  while (!existsSync(socket) && child.exitCode === null) await sleep(10)
  const group = child.pid ?? 0
  return {
    get: async (query) => readImage(await request(socket, `map=${map}&${query}`)),
    cpuSeconds: () => groupCpuSeconds(group),
    async stop() {
      const ended = once(child, 'exit')
      // Its processes ignore other signals until the next request.
      process.kill(-group, 'SIGKILL')
      await ended
    },
  }
}

function formatLayer(layer: MapserverLayer, connection: string): string {
  const head = `LAYER NAME "${layer.name}" TYPE ${layer.type} STATUS ON PROJECTION "init=epsg:3857" END`
  if (layer.type === 'RASTER') return `${head} DATA '${layer.file}' PROCESSING "RESAMPLE=BILINEAR" END`
  return `${head} CONNECTIONTYPE postgis CONNECTION "${connection}" PROCESSING "CLOSE_CONNECTION=DEFER"
    DATA 'geom from (select id, geom from ${layer.table}) as r using unique id using srid=3857'
    CLASS ${layer.style} END END`
}

/** @param url of the database; empty if no layer has a table */
function formatMap(url: string, layers: readonly MapserverLayer[]): string {
  const connection = url === '' ? '' : formatConnection(url)
  const formatted = layers.map((layer) => formatLayer(layer, connection))
  return `MAP NAME "bench" EXTENT -20037508 -20037508 20037508 20037508 UNITS METERS SIZE 256 256
    PROJECTION "init=epsg:3857" END
    OUTPUTFORMAT NAME "png" DRIVER AGG/PNG MIMETYPE "image/png" IMAGEMODE RGBA TRANSPARENT ON EXTENSION "png" END
    SYMBOL NAME "dot" TYPE ELLIPSE FILLED TRUE POINTS 1 1 END END
    WEB METADATA "ows_enable_request" "*" "ows_srs" "EPSG:3857" END END
    ${formatted.join('\n')}
  END`
}

function formatConnection(url: string): string {
  const { hostname, port, username, pathname } = new URL(url)
  return `host=${hostname} port=${port} user=${username} dbname=${pathname.slice(1)}`
}

/** Returns the number of bytes of an image. MapServer reports errors with status 200. */
function readImage(response: Buffer): number {
  const end = response.indexOf('\r\n\r\n')
  const head = response.subarray(0, end).toString('latin1')
  if (!head.includes('image/png')) throw new Error(response.toString('utf8', 0, 500))
  return response.length - end - 4
}

/** Returns the query string of a PNG tile of layers. */
export function tileQueryOf(layers: string, tile: string): string {
  const { z, x, y } = Object.fromEntries(new URLSearchParams(tile))
  return `mode=tile&tilemode=gmap&map.imagetype=png&layers=${layers}&tile=${x}+${y}+${z}`
}

const types = { begin: 1, params: 4, stdin: 5, stdout: 6 }

/** Sends a request, and returns the output. @see https://fastcgi-archives.github.io/FastCGI_Specification.html */
async function request(path: string, query: string): Promise<Buffer> {
  const socket = connect(path)
  const params = Object.entries({ REQUEST_METHOD: 'GET', QUERY_STRING: query }).map(([name, value]) => {
    const sizes = Buffer.alloc(8)
    sizes.writeUInt32BE((name.length | 0x80000000) >>> 0, 0)
    sizes.writeUInt32BE((value.length | 0x80000000) >>> 0, 4)
    return Buffer.concat([sizes, Buffer.from(name + value)])
  })
  socket.write(
    Buffer.concat([
      formatRecord(types.begin, Buffer.from([0, 1, 0, 0, 0, 0, 0, 0])),
      formatRecord(types.params, Buffer.concat(params)),
      formatRecord(types.params, Buffer.alloc(0)),
      formatRecord(types.stdin, Buffer.alloc(0)),
    ]),
  )
  return readRecords(await buffer(socket))
}

function formatRecord(type: number, content: Buffer): Buffer {
  const header = Buffer.from([1, type, 0, 1, content.length >> 8, content.length & 255, 0, 0])
  return Buffer.concat([header, content])
}

function readRecords(bytes: Buffer): Buffer {
  const output: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const [length, padding] = [bytes.readUInt16BE(at + 4), bytes[at + 6] ?? 0]
    if (bytes[at + 1] === types.stdout) output.push(bytes.subarray(at + 8, at + 8 + length))
    at += 8 + length + padding
  }
  return Buffer.concat(output)
}
