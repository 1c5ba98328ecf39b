/** Names a database as ogr2ogr wants it. */
export function ogrDatabase(url: string): string {
  const { hostname, port, username, pathname } = new URL(url)
  return `PG:host=${hostname} port=${port} user=${username} dbname=${pathname.slice(1)}`
}
