"""Compares the catalog with the manifests: a row that the database lost is not missed by itself."""
