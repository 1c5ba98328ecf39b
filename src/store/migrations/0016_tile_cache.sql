-- Which tiles of a style the server keeps on disk. A style without a row has the defaults.
create table tile_cache (
  resource_id   integer primary key references resource on delete cascade,
  enabled       boolean not null,
  image_compose boolean not null,
  max_z         integer,
  ttl           integer,
  -- Names the tiles that are kept: changes when they are flushed, and is never the same in another database.
  generation    uuid not null default gen_random_uuid()
);
create trigger announce_change after insert or update or delete on tile_cache
  for each statement execute function announce_change();
