-- The database and its user, once, on the primary. `pg_read_all_stats` lets a server see that a standby is there, for
-- --require-synchronous.
CREATE ROLE care LOGIN PASSWORD :'password' IN ROLE pg_read_all_stats;
CREATE DATABASE care OWNER care ENCODING 'UTF8' TEMPLATE template0;
