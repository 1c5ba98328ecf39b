-- How the values of rasters are drawn, and their distribution.
create table raster_style (
  resource_id integer primary key references resource on delete cascade,
  stretch     json,
  color_ramp  json,
  resampling  text not null,
  opacity     double precision not null
);
insert into raster_style (resource_id, resampling, opacity)
select id, 'nearest', 1 from resource where cls = 'raster_style';

-- Of the values of a raster with one band: min, max, mean, standard deviation and percentiles.
alter table raster_layer add column statistics json;
