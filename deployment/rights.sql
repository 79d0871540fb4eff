-- The application's role reads the decision log and adds to it, and can do nothing else. Run by the owner of the tables at
-- every start, so that a changed password takes effect.
\set password `sed -n 's/^password *= *//p' "$PGSERVICEFILE"`

SELECT 'CREATE ROLE multiloss_app LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'multiloss_app') \gexec
ALTER ROLE multiloss_app PASSWORD :'password';

REVOKE ALL ON DATABASE decisions FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CONNECT ON DATABASE decisions TO multiloss_app;
GRANT USAGE ON SCHEMA public TO multiloss_app;
GRANT SELECT, INSERT ON decision_log_entries, decision_log_deployments, decision_log_remarks, decision_log_events
    TO multiloss_app;
GRANT SELECT ON decision_log_version TO multiloss_app;
